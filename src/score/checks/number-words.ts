/** Numbers of two digits and more in words, as people say times and durations, in the languages of the phrases. Small ones are not looked at as digits either. */
const WORDS: readonly (readonly [string, readonly number[]])[] = [
  ['ten|zehn|diez|dix|dez|十', [10]],
  ['eleven|elf|once|onze|十一', [11]],
  [
    'twelve|zwölf|doce|douze|doze|noon|midday|midnight|mittag|mittags|mitternacht|mediodía|medianoche|midi|minuit|meio-dia|meia-noite|正午|中午|十二',
    [12, 0, 24],
  ],
  ['thirteen|dreizehn|trece|treize|treze|十三', [13]],
  ['fourteen|vierzehn|catorce|quatorze|catorze|十四', [14]],
  ['fifteen|fünfzehn|quince|quinze|十五|quarter|viertel|cuarto|quart', [15, 45]],
  ['sixteen|sechzehn|dieciséis|seize|dezesseis|十六', [16]],
  ['seventeen|siebzehn|diecisiete|dix-sept|dezessete|十七', [17]],
  ['eighteen|achtzehn|dieciocho|dix-huit|dezoito|十八', [18]],
  ['nineteen|neunzehn|diecinueve|dix-neuf|dezenove|十九', [19]],
  ['twenty|zwanzig|veinte|vingt|vinte|二十', [20]],
  ['thirty|dreißig|treinta|trente|trinta|三十|half|halb|halbe|media|demie?|meia|半', [30]],
  ['forty|vierzig|cuarenta|quarante|quarenta|四十', [40]],
  ['fifty|fünfzig|cincuenta|cinquante|cinquenta|五十', [50]],
  ['sixty|sechzig|sesenta|soixante|sessenta|六十', [60]],
  ['ninety|neunzig|noventa|quatre-vingt-dix|九十', [90]],
  ['hundred|hundert|cien|ciento|cent|cem|百', [100]],
  ['dozen|dutzend|docena|douzaine|dúzia', [12]],
  // Useful by themselves only as hours and as factors: an hour, two days.
  ['an?|one|eine?[nr]?|una?|une?|uma?|eins|uno|一', [1]],
  ['two|zwei|dos|deux|dois|duas|二|两', [2]],
  ['three|drei|tres|trois|três|三', [3]],
  ['four|vier|cuatro|quatre|quatro|四', [4]],
  ['five|fünf|cinco|cinq|五', [5]],
  ['six|sechs|seis|六', [6]],
  ['seven|sieben|siete|sept|sete|七', [7]],
  ['eight|acht|ocho|huit|oito|八', [8]],
  ['nine|neun|nueve|neuf|nove|九', [9]],
];

const TESTS = WORDS.map(
  ([words, values]) => [new RegExp(`(?<![a-zà-ÿœß])(?:${words})(?![a-zà-ÿœß])`, 'u'), values] as const,
);

/** `text` in lower case. */
export function numbersInWords(text: string): readonly number[] {
  return TESTS.flatMap(([test, values]) => (test.test(text) ? values : []));
}
