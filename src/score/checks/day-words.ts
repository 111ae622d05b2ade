/**
 * Dates that follow from words for a day: "tomorrow" and "next Friday" name a date once the date of today is known.
 * Today is what the instructions or a tool say it is. If neither says it, the agent knew it in another way, and any
 * date may be the one that was meant.
 */
const DAY_MS = 86_400_000;
/** "Next Friday" is this week's to some, and next week's to others. */
const WEEKDAY_WITHIN_DAYS = 15;
const PERIOD_WITHIN_DAYS = 62;
const TEXT_READ_MAX = 20_000;

const TODAY =
  /(?<!\p{L})(?:today|tonight|this (?:morning|afternoon|evening)|heute|hoy|aujourd'hui|ce soir|hoje)(?!\p{L})|今日|本日|今天|今晚/u;
const TOMORROW = /(?<!\p{L})(?:tomorrow|morgen|mañana|demain|amanhã)(?!\p{L})|明日|あした|明天/u;
const AFTER_TOMORROW =
  /(?<!\p{L})(?:day after tomorrow|übermorgen|pasado mañana|après-demain|depois de amanhã)(?!\p{L})|明後日|あさって|后天/u;
const YESTERDAY = /(?<!\p{L})(?:yesterday|gestern|ayer|hier|ontem)(?!\p{L})|昨日|昨天/u;
const WEEKDAYS: readonly RegExp[] = [
  /(?<!\p{L})(?:sun(?:day)?|sonntag|domingo|dimanche)(?!\p{L})|日曜|周日|星期日|星期天/u,
  /(?<!\p{L})(?:mon(?:day)?|montag|lunes|lundi|segunda)(?!\p{L})|月曜|周一|星期一/u,
  /(?<!\p{L})(?:tue(?:s|sday)?|dienstag|martes|mardi|terça)(?!\p{L})|火曜|周二|星期二/u,
  /(?<!\p{L})(?:wed(?:nesday)?|mittwoch|miércoles|mercredi|quarta)(?!\p{L})|水曜|周三|星期三/u,
  /(?<!\p{L})(?:thu(?:rs|rsday)?|donnerstag|jueves|jeudi|quinta)(?!\p{L})|木曜|周四|星期四/u,
  /(?<!\p{L})(?:fri(?:day)?|freitag|viernes|vendredi|sexta)(?!\p{L})|金曜|周五|星期五/u,
  /(?<!\p{L})(?:sat(?:urday)?|samstag|sonnabend|sábado|samedi)(?!\p{L})|土曜|周六|星期六/u,
];
/** A stretch of time, and no day of it: any date within reach. */
const PERIOD =
  /(?<!\p{L})(?:weeks?|weekend|months?|days?|fortnight|wochen?|wochenende|monats?|monate|tagen?|semanas?|mes(?:es)?|días?|semaines?|mois|jours?|fins? de semana|mês|dias?|soon|asap|later|bald|pronto|bientôt|em breve)(?!\p{L})|週|月|日後|周|天后/u;
const SAYS_TODAY =
  /(?:today|now|current|date|heute|hoy|aujourd'hui|hoje|今日|本日|今天|現在|当前)[^\n]{0,40}?(\d{4})-(\d{2})-(\d{2})/gu;
const DATE = /(\d{4})-(\d{2})-(\d{2})/g;

interface DayWords {
  /** The user's words, in lower case. */
  readonly said: string;
  /** Instructions and results of tools, in lower case. */
  readonly known: string;
  /** Results of tools that tell the time, in lower case. */
  readonly told: string;
}

/** `date` as 2026-03-04. */
export function isMeantByWords(date: string, { said, known, told }: DayWords): boolean {
  const words = said.slice(-TEXT_READ_MAX);
  if (!isAny(words)) return false;
  const todays = [...datesIn(known, SAYS_TODAY), ...datesIn(told, DATE)];
  const day = Date.parse(date);
  return todays.length === 0 || todays.some((today) => isNamed(Math.round((day - today) / DAY_MS), day, words));
}

function isAny(words: string): boolean {
  return [TODAY, TOMORROW, AFTER_TOMORROW, YESTERDAY, PERIOD, ...WEEKDAYS].some((test) => test.test(words));
}

/** Spans end on the day after, or a week later, as people stay. */
function isNamed(offset: number, day: number, words: string): boolean {
  if (offset >= -1 && offset <= 1 && TODAY.test(words)) return true;
  if ((offset === 1 || offset === 2) && TOMORROW.test(words)) return true;
  if ((offset === 2 || offset === 3) && AFTER_TOMORROW.test(words)) return true;
  if (offset === -1 && YESTERDAY.test(words)) return true;
  const weekday = WEEKDAYS[new Date(day).getUTCDay()];
  if (Math.abs(offset) <= WEEKDAY_WITHIN_DAYS && weekday?.test(words)) return true;
  return Math.abs(offset) <= PERIOD_WITHIN_DAYS && PERIOD.test(words);
}

function datesIn(text: string, pattern: RegExp): readonly number[] {
  return [...text.slice(0, TEXT_READ_MAX).matchAll(pattern)]
    .map(([, year, month, day]) => Date.parse(`${year}-${month}-${day}`))
    .filter((ms) => !Number.isNaN(ms));
}
