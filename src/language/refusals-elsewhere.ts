/**
 * Bare refusals in languages that the phrases do not cover: all words of a short answer are of the formula, such as "Przykro mi, ale nie
 * mogę w tym pomóc". One word that says what is refused, or why, is enough to say something.
 */
import type { NotCovered } from './languages.ts';

interface Formula {
  readonly refusal: RegExp;
  readonly words: ReadonlySet<string>;
}

function formula(refusal: RegExp, words: string): Formula {
  return { refusal, words: new Set(words.split(' ')) };
}

const FORMULAS = {
  Polish: formula(
    /(?<!\p{L})nie (?:mogę|możemy|potrafię|jestem w stanie|jesteśmy w stanie)(?!\p{L})/u,
    'bardzo przykro mi ale przepraszam przepraszamy niestety nie mogę możemy potrafię jestem jesteśmy w stanie tym tej tego to tą z sprawie kwestii pomóc ci panu pani państwu odpowiedzieć na pytanie twoje zrobić spełnić zrealizować prośby prośbą obecnie teraz',
  ),
  Turkish: formula(
    /(?<!\p{L})(?:ol|ed|ver|yap|getir|gerçekleştir|yanıtlay|cevaplay)(?:am|em)(?:am|em|ıyorum|iyorum|ıyoruz|iyoruz|ayız|eyiz)(?!\p{L})/u,
    'üzgünüm maalesef ne yazık ki ancak ama fakat özür dilerim dileriz bu bunu konuda konu isteğinize isteğinizi isteği talebinize talebinizi talebi soruya soruyu sorunuza sorunuzu size sana yardımcı yardım yanıt cevap yerine şu anda olamam olamıyorum olamıyoruz olamayız edemem edemiyorum edemiyoruz edemeyiz veremem veremiyorum veremiyoruz yapamam yapamıyorum yapamıyoruz getiremem getiremiyorum getiremiyoruz gerçekleştiremem gerçekleştiremiyorum yanıtlayamam yanıtlayamıyorum cevaplayamam cevaplayamıyorum',
  ),
  // Without its marks.
  Arabic: formula(
    /(?<!\p{L})(?:لا|لن) (?:يمكنني|يمكننا|أستطيع|نستطيع|أتمكن|نتمكن)(?!\p{L})/u,
    'عذرا آسف آسفة أنا نحن أعتذر نعتذر للأسف لكن ولكن لكنني ولكنني لا لن يمكنني يمكننا أستطيع نستطيع أتمكن نتمكن من مساعدتك مساعدتكم المساعدة في على عن ذلك بذلك هذا هذه الطلب طلبك السؤال سؤالك الأمر الإجابة الرد تنفيذ القيام الآن حاليا',
  ),
  Italian: formula(
    /(?<!\p{L})non (?:posso|possiamo|sono in grado|siamo in grado)(?!\p{L})/u,
    'mi ci dispiace ma purtroppo spiacente scusa scusi scusate non posso possiamo sono siamo in grado di aiutarti aiutarla aiutarvi aiutare con per questo questa quello ciò richiesta rispondere a alla tua sua domanda farlo soddisfare la al momento',
  ),
  Dutch: formula(
    /(?<!\p{L})(?:kan|kunnen) (?:\p{L}{1,9} ){0,4}niet(?!\p{L})/u,
    'het spijt me mij ons maar helaas sorry ik wij we kan kunnen niet u je jou jullie hiermee daarmee daar hier mee helpen bij met dit dat deze die vraag verzoek beantwoorden uitvoeren uw jouw op moment',
  ),
  Russian: formula(
    /(?<!\p{L})не (?:могу|можем|смогу|сможем)(?!\p{L})/u,
    'извините простите к сожалению сожалею мне очень жаль но я мы не могу можем смогу сможем вам тебе помочь с этим этой в вопросе вопросом запросом просьбой ответить на этот вопрос ваш выполнить запрос вашу эту просьбу сейчас',
  ),
} satisfies NotCovered<Formula>;
const LENGTH_MAX = 200;

export function isBareRefusalElsewhere(answer: string): boolean {
  if (answer.length > LENGTH_MAX || /\d/.test(answer)) return false;
  const plain = answer.normalize('NFC').toLowerCase().replaceAll(/\p{M}/gu, '');
  const words = plain.match(/\p{L}+/gu) ?? [];
  const text = words.join(' ');
  return Object.values(FORMULAS).some(
    ({ refusal, words: known }) => refusal.test(text) && words.every((word) => known.has(word)),
  );
}
