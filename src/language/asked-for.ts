/**
 * Whether a request asks for a text or an explanation, in each language that is known. "Your order has been refunded" claims nothing where a
 * letter, a translation or a summary was asked for, and "the money is returned to your card" explains how a refund works.
 *
 * A question about how things stand asks for a report.
 *
 * Verbs count where a request begins with them, because "cancel it and write me a confirmation" asks for an action. So does "write a letter
 * and send it". Japanese and Chinese have no such beginning: there the words count anywhere in a sentence.
 */
import { actionsIn } from './actions.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { plainText, sentencesOf } from './phrases.ts';
import { endsAsQuestion } from './read-answer.ts';

export interface AskedFor {
  /** `text`: every word of the answer may belong to it; `explanation`: the answer says how things are done; `report`: how they stand. */
  readonly form: Form;
  /** The sentence that asks for it. */
  readonly sentence: string;
}

type Form = 'text' | 'explanation' | 'report';

interface Asking {
  /** Words before the verb that change nothing, each with the space after it. */
  readonly opening: string;
  readonly text: string;
  readonly explanation: string;
  /** The beginning of a question, or words in it. */
  readonly report: string;
  /** A second half that asks for an action. */
  readonly action: string;
}

const ASKING = {
  English: {
    opening:
      "(?:hi|hello|hey|ok|okay|thanks|thank you|great|now|so|and|then|also|please|pls|kindly|just|first)[ ,!]+|(?:can|could|would|will) you |i(?:'d| would)? (?:want|like|need) you to |help me (?:to |with )?|i need help (?:to |with |writing )?",
    text: "(?:write|draft|compose|phrase) (?:me |us |up )?(?:a|an|the|my|some|this|another|\\d{1,2}|two|three|four|five|six|ten) (?:[^ ]{1,16} ){0,4}?(?:letter|e-?mail|mail|message|text|note|post|reply|response|song|review|update|announcement|apology|complaint|reminder|invitation|notice|sms|release|function|script|poem|story|essay|article|draft|speech|haiku|limerick|tweet|summary|dialogue|scene|joke|template|sentence|paragraph|caption|example|confirmation|subject(?: line)?|headline|title|slogan)s?|(?:create|generate|prepare|make|give me|show me|i need|i want|i'd like) (?:me |us )?(?:a|an|some|another|\\d{1,2}|two|three|four|five|six|ten) (?:[^ ]{1,16} ){0,2}?(?:letter|text|poem|story|essay|draft|speech|haiku|limerick|summary|dialogue|joke|template|sentence|paragraph|caption|example|sample|wording|translation)s?|(?:draft|compose|translate|summari[sz]e|sum up|rephrase|reword|rewrite|paraphrase|proofread|polish|shorten|pretend|imagine|role-?play|act as|(?:continue|finish) (?:the|this) (?:story|text|sentence|poem)|(?:give me|show me|suggest|list|i need) (?:[^ ]{1,12} ){0,3}?(?:ways?|wordings?|phrases) to |let's play|let us play|tell me a (?:story|joke)|suggest (?:a|some) (?:[^ ]{1,12} )?(?:reply|text|answer|wording))|(?:correct|improve|fix|check) (?:my|this|the|these|following) (?:[^ ]{1,12} )?(?:text|grammar|wording|sentence|sentences|letter|e-?mail|english|spelling|paragraph)|(?:make|turn) (?:this|it|that|the [^ ]{1,14}) (?:[^ ]{1,12} )?(?:sound|more|less|shorter|longer|friendlier|politer|nicer|formal|simpler|into|a |an )|how (?:do|would|should|can|could) (?:i|you|we) (?:say|write|phrase|put|word|reply|respond|answer)|what (?:should|would|could|can|do) (?:i|we|you) (?:say|write|reply|answer|respond)|what should (?:the|my|our) [^.!?]{1,40} (?:say|read|contain)|is (?:this|the) (?:sentence|text|wording)",
    explanation:
      'how (?:do|does|can|could|would|should|to|long|often|are|is (?:a|an|the))|what(?:.s| is) (?:a|an|the (?:difference|process|meaning))|what (?:happens|does|do|if|will [^.!?]{1,60} after|[^ ]{3,14} mean)|why (?:was|is|are|were|did|does|do)|explain|describe|define|review|analy[sz]e|check (?:my|this|the) |tell me (?:about|how|why|what happens)|walk me through',
    report:
      '(?:where|when|which|who|what|how (?:much|many)|has|have|am|is(?! it possible| there)|are|was|were|did|do you have)',
    action:
      '(?:and|then) (?:then |please |also )?(?:send|mail|e-?mail|forward|cancel|refund|book|submit|post|publish|delete|change|update|deploy|commit|push|save|file|do) (?:it|them|that|this|the|my|him|her|me|order)',
  },
  German: {
    opening:
      '(?:hallo|hi|guten tag|bitte|ok|okay|danke|nun|jetzt|dann|und|kurz|mal)[ ,!]+|hilf mir,? |(?:kannst|könntest|würdest) du |(?:können|könnten|würden) sie ',
    text: '(?:schreib|verfass)[^ ]{0,3} [^.!?\\n]{0,60}?(?:brief|mail|text|nachricht|gedicht|geschichte|antwort|entwurf|zusammenfassung|vorlage|rede|absage|zusage|einladung|beschwerde|satz|artikel)|(?:erstell|mach|gib|ich brauch|ich hätte gern)[^ ]{0,3} [^.!?\\n]{0,30}?(?:brief|text|gedicht|geschichte|entwurf|zusammenfassung|vorlage|rede|beispiel|satz|artikel|übersetzung)|[^.!?\\n]{0,80}(?:brief|mail|text|nachricht|gedicht|antwort)[^.!?\\n]{0,30} (?:schreiben|verfassen|aufsetzen)(?= ?[?.!]| ?$)|(?:formulier|verfass|entwirf|entwerf|übersetz|fass|korrigier|umformulier|dicht|reim|kürz|stell dir vor|tu so|lass uns spielen|wir spielen|mach daraus|stell das um)|[^.!?\\n]{0,120}(?:formulieren|entwerfen|verfassen|übersetzen|zusammenfassen|umformulieren|korrekturlesen)(?= ?[?.!]| ?$)|[^.!?\\n]{0,120} zu (?:schreiben|verfassen|formulieren)(?= ?[?.!]| ?$)|wie (?:sagt|schreibt|formuliert|sage|schreibe|formuliere|heißt)',
    explanation:
      'wie (?:läuft|funktioniert|geht|kann|lange|werden|wird|mache)|was (?:passiert|bedeutet|heißt|ist (?:ein|eine|der unterschied))|(?:warum|wieso|weshalb) (?:wurde|ist|sind|war|hat|werden)|erklär|erläuter|analysier|prüf|beschreib|[^.!?\\n]{0,80}(?:erklären|erläutern)(?= ?[?.!]| ?$)',
    report:
      '(?:wo|wann|wer|was|wie viele?|welche[rsn]?|ist|sind|war|wurde|wurden|hat|habt|haben|was ist mit|wie (?:ist|steht))',
    action:
      'und (?:dann |bitte )?(?:schick|send|verschick|storn|buch|erstatte|lösch|änder|leite|speicher)[^ ]{0,4} (?:ihn|sie|es|das|die|den|mir|ihm|meine|bestellung)',
  },
  Spanish: {
    opening:
      '(?:hola|por favor|ok|vale|gracias|ahora|y|bueno|buenos días|buenas)[ ,!]+|(?:me )?(?:puedes|podrías|puede|podría) |ayúdame a |necesito que |quiero que ',
    text: '(?:escrib|escríb)[^ ]{0,5} (?:un|una|el|la|unos|mi|este) (?:[^ ]{1,14} ){0,3}?(?:correo|carta|mensaje|texto|nota|poema|cuento|historia|respuesta|resumen|discurso|frase|artículo|e-?mail|aviso|disculpa)|(?:haz|hac|cre|prepar|d[ae]|necesit|quier)[^ ]{0,5} (?:un|una) (?:[^ ]{1,14} ){0,3}?(?:carta|texto|poema|cuento|historia|borrador|resumen|plantilla|discurso|ejemplo|frase|traducción)|(?:redact|traduc|tradú|resum|reformul|reescrib|parafras|corrig[ea]|corrígeme|acort|imagin|finge|haz de|actúa como|juguemos|conviértelo en|convierte esto)|cómo (?:se dice|digo|escribo|se escribe|respondo|debería responder)|qué (?:debo|debería|puedo) (?:decir|responder|escribir|contestar)',
    explanation:
      'cómo|qué (?:pasa|significa|quiere decir|ocurre|sucede|es)|por qué|explic|explíca|analiz|revis|describ|defin|cuánto tarda',
    report: '(?:dónde|cuándo|cuál|quién|qué|cuántos?|está|están|ha|han|fue|ya|se ha|hay|qué (?:pasó|hay|estado))',
    action:
      'y (?:luego |después )?(?:envía|envíal|manda|mándal|cancela|reserva|devuelve|borra|cambia|reenvía)[^ ]{0,4}',
  },
  French: {
    opening:
      "(?:bonjour|salut|s'il te plaît|s'il vous plaît|stp|svp|ok|merci|maintenant|et|alors)[ ,!]+|(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|vous pouvez) |(?:aide|aidez)-moi à |j'aimerais que (?:tu|vous) ",
    text: "(?:m'|me |nous )?(?:écri(?:s|t|re|vez))(?:-moi)? (?:un|une|le|la|mon|ma|ce) (?:[^ ]{1,14} ){0,3}?(?:lettre|mail|courriel|e-?mail|message|texte|note|poème|histoire|réponse|discours|phrase|article|mot|annonce)|(?:fais|faire|faites|prépare|donne|il me faut|je veux|je voudrais)(?:-moi)? (?:un|une) (?:[^ ]{1,14} ){0,3}?(?:lettre|texte|poème|histoire|brouillon|résumé|modèle|discours|exemple|phrase|traduction)|(?:rédig|tradui|résum|reformul|réécri|paraphras|corrige|relis|raccourci|imagine|fais semblant|joue le rôle|jouons|transforme)|comment (?:dit-on|dire|écrire|formuler|répondre|on dit)|que (?:dois-je|devrais-je|puis-je) (?:dire|répondre|écrire)",
    explanation:
      "comment|que (?:se passe|signifie|veut dire)|qu'est-ce (?:que|qui)|pourquoi|explique|expliquer|analyse|examine|décri[st]|définis|combien de temps",
    report: "(?:où|quand|qui|combien|quels?|quelles?|est-ce|avez-vous|as-tu|ma|mon|mes|quel est|quelle est|qu'en est)",
    action:
      'et (?:ensuite |puis )?(?:envoie|envoyez|annule|annulez|réserve|réservez|rembourse|supprime|modifie|transfère)(?:-l|-moi| l| la| le| ma| mon|z)',
  },
  Portuguese: {
    opening:
      '(?:olá|oi|por favor|ok|obrigad[oa]|agora|e|bom dia|boa tarde)[ ,!]+|(?:você )?(?:pode|poderia|consegue) (?:me )?|(?:me )?ajud[ae](?:-me)? a |preciso que (?:você )?|quero que (?:você )?',
    text: '(?:me )?escrev[^ ]{0,5}(?:-me)? (?:um|uma|o|a|meu|minha|este|esta) (?:[^ ]{1,14} ){0,3}?(?:e-?mail|carta|mensagem|texto|nota|bilhete|poema|história|conto|resposta|discurso|frase|artigo|aviso|comunicado)|(?:me )?(?:fa[zç]|cri[ea]|prepar|d[eêá]|preciso|quero)[^ ]{0,5}(?:-me)? (?:de )?(?:um|uma) (?:[^ ]{1,14} ){0,3}?(?:carta|texto|poema|história|conto|rascunho|resumo|modelo|discurso|exemplo|frase|tradução)|(?:redij|redig|tradu[zç]|resum|reformul|reescrev|parafrase|corrij|encurt|imagin|finja|faça de conta|aja como|vamos (?:brincar|jogar)|transform[ae])|como (?:se diz|digo|escrevo|se escreve|respondo|dizer)|o que (?:devo|deveria|posso) (?:dizer|responder|escrever)',
    explanation:
      'como|o que (?:acontece|significa|quer dizer|é)|que significa|por que|por quê|expli[cq]|analis|revis|descrev|defin|quanto tempo',
    report: '(?:onde|quando|quem|qual|quantos?|cadê|está|estão|foi|já|qual (?:é )?o (?:status|estado))',
    action: 'e (?:depois )?(?:envie|envia|mande|manda|cancele|cancela|reserve|reembolse|apague|altere)',
  },
  Japanese: {
    opening: '',
    text: '(?:書いて|訳して|翻訳(?:して|を?お願い)|要約して|まとめて|言い換え|書き直して|添削|下書き|文面|例文|ロールプレイ|なりきって|のふりを|丁寧に|ごっこ|[文詩信]を(?:作|考え)|敬語にして|何と(?:言|返|書))',
    explanation:
      '(?:説明して|レビュー|分析|どういう意味|とは(?:何|なん|どう|\\?|$)|流れ|仕組み|手順|方法|どうすれば|どうやって|なぜ|やり方|どうなり|どうなる)',
    report: '(?:どこ|いつ|どれ|何番|いくら|状況|状態|ましたか|済みですか|どうなって)',
    action: '(?:書いて|作って|訳して|まとめて)[^。!?]{0,6}(?:送|送信|発送|キャンセル|予約|変更|削除)',
  },
  Chinese: {
    opening: '',
    text: '(?:(?<!填)写(?!错|明)|起草|草拟|拟(?:一|个|份)|撰写|翻(?:译|成|为)|译成|译为|总结|概括|摘要|改写|润色|假装|扮演|角色|造(?:个|一)?句|举(?:个|一个)?例|范文|模板|(?:这|下面|以下)(?:句|段)|怎么(?:说|写|回复|表达))',
    explanation:
      '(?:解释|分析|评审|说明一下|什么意思|的意思|含义|怎么(?!还|没|不|又)|怎样|如何|流程|为什么(?!还|没|不)|为何|会发生什么|会怎么样|多久|是什么)',
    report: '(?:到哪|在哪|哪个|哪里|多少|什么时候|何时|了吗|了没|状态|进度|情况)',
    action: '(?:并|然后|再|后)(?:帮我|把[^。!?]{1,6})?(?:发送|发给|发出|寄|取消|退款|预订|修改订单|删除)',
  },
} as const satisfies Readonly<Record<Language, Asking>>;

interface Compiled {
  readonly opening: RegExp | undefined;
  readonly text: RegExp;
  readonly explanation: RegExp;
  readonly report: RegExp;
  readonly action: RegExp;
}

/** Compiled when the first request is read, which is after the first claim. */
let compiled: readonly Compiled[] | undefined;

function asking(): readonly Compiled[] {
  compiled ??= LANGUAGES.map((language) => {
    const { opening, text, explanation, report, action } = ASKING[language];
    const isSpaced = opening !== '';
    const from = isSpaced ? '^' : '';
    return {
      opening: isSpaced ? new RegExp(`^(?:${opening})`, 'u') : undefined,
      text: new RegExp(`${from}(?:${text})`, 'u'),
      explanation: new RegExp(`${from}(?:${explanation})`, 'u'),
      report: new RegExp(isSpaced ? `^(?:${report})(?= )` : report, 'u'),
      action: new RegExp(isSpaced ? `(?:^| )(?:${action})` : action, 'u'),
    };
  });
  return compiled;
}

/** Sentences that are read at each end of a request: a text to work on may stand before or after what is to be done with it. */
const SENTENCES_READ_MAX = 6;
const OPENINGS_MAX = 5;
/** As much of a sentence as holds its verb and the object of it. */
const BEGINNING_LENGTH = 300;
const FIRST_WORDS = /^[\p{Script=Han}]{1,4}|^[^\s]{1,30}/u;

/** Undefined where the request asks for something else, or for an action first. */
export function askedFor(request: string): AskedFor | undefined {
  const sentences = sentencesOf(plainText(request)).map((sentence) => sentence.slice(0, BEGINNING_LENGTH));
  const read =
    sentences.length <= 2 * SENTENCES_READ_MAX
      ? sentences
      : [...sentences.slice(0, SENTENCES_READ_MAX), ...sentences.slice(-SENTENCES_READ_MAX)];
  let found: AskedFor | undefined;
  for (const sentence of read) {
    const form = formOf(sentence);
    if (form === 'action') return undefined;
    if (form === 'text') return { form, sentence };
    if (form !== undefined) found ??= { form, sentence };
  }
  return found;
}

function formOf(sentence: string): Form | 'action' | undefined {
  const words = sentence.replace(BEFORE_WORDS, '');
  let found: Form | 'action' | undefined;
  for (const known of asking()) {
    const rest = withoutOpening(words, known.opening);
    const form = known.text.test(rest) ? 'text' : known.explanation.test(rest) ? 'explanation' : undefined;
    if (form !== undefined) return known.action.test(rest) ? 'action' : form;
    if (known.opening !== undefined && beginsWithAction(rest)) found = 'action';
    else if ((known.opening === undefined || endsAsQuestion(rest)) && known.report.test(rest)) found ??= 'report';
  }
  return beginsWithAction(words) ? 'action' : found;
}

const BEFORE_WORDS = /^[^\p{L}]+/u;

function withoutOpening(sentence: string, opening: RegExp | undefined): string {
  let rest = sentence;
  for (let n = 0; opening !== undefined && n < OPENINGS_MAX; n += 1) {
    const shorter = rest.replace(opening, '').trimStart();
    if (shorter === rest) break;
    rest = shorter;
  }
  return rest;
}

function beginsWithAction(sentence: string): boolean {
  return actionsIn(FIRST_WORDS.exec(sentence)?.[0] ?? '').size > 0;
}
