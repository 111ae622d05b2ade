/**
 * Sentences that close an answer and say nothing: "Is there anything else I can help you with?", "I hope you understand." Behind a bare
 * refusal they leave it bare. A sentence with a number or with words that go beyond the formula stays.
 */
import { sentencesOf } from './phrases.ts';

const HELP = `(?:help|assist)(?: you)?(?: with)?(?: today)?|do(?: for you)?(?: today)?`;
const MORE = `(?:any|some)(?:thing else| (?:other|more|further|additional) (?:questions?|requests?|concerns?))(?: or (?:concerns?|requests?|questions?))?`;
const OFFER = `(?:please )?(?:feel free to (?:ask|reach out|let me know|contact (?:me|us))|(?:do not|don't) hesitate to (?:ask|reach out|let me know|contact (?:me|us))|(?:just )?let me know|just ask|(?:i'm|i am|we're|we are) (?:always )?here(?: to help| for you)?)`;
const CLOSINGS = [
  `(?:is|was) there (?:anything|something) else (?:that )?(?:i|we) (?:can|could|may) (?:${HELP})`,
  `how (?:else )?(?:can|may) (?:i|we) (?:${HELP})`,
  `${OFFER} if (?:you (?:have|need) ${MORE}|there(?:'s| is) ${MORE} (?:that )?(?:i|we) can (?:${HELP}))`,
  `if you (?:have|need) ${MORE}, ${OFFER}`,
  `(?:i|we) (?:hope|trust)(?: that)? you(?: can| will|'ll)? understand`,
  `(?:i|we) (?:really |truly )?(?:appreciate|thank you for) your (?:understanding|patience)(?: and (?:understanding|patience))?(?: in this matter)?`,
  `(?:i'm|i am|we're|we are) (?:always )?here (?:to help )?if you need ${MORE}`,
  'kann ich (?:ihnen|dir) (?:sonst )?noch (?:irgendwie |bei etwas (?:anderem )?)?(?:weiterhelfen|helfen)',
  'gibt es (?:sonst )?noch etwas,? (?:wobei|womit|bei dem) ich (?:ihnen|dir) (?:weiterhelfen|helfen|behilflich sein) kann',
  '¿?hay algo más en lo que (?:le |te )?pueda (?:ayudar|asistir)(?:le|te|lo|la)?',
  '¿?(?:puedo|le puedo|te puedo) ayudar(?:le|te|lo|la)? (?:con|en) algo más',
  "puis-je vous aider (?:pour|avec) (?:autre chose|quelque chose d'autre)",
  'y a-t-il autre chose (?:que je puisse faire|pour laquelle je puisse vous aider)(?: pour vous)?',
  'posso (?:te |lhe )?ajudar(?:-lo|-la|-te)? (?:com|em) (?:mais )?(?:alguma coisa|algo(?: mais)?)(?: mais)?',
];
const CLOSING = new RegExp(`^[^\\p{L}¿]*(?:${CLOSINGS.join('|')})[^\\p{L}\\d]*$`, 'u');
const CLOSING_LENGTH_MAX = 160;

/** Works on text as `plainText` gives it. */
export function withoutClosings(plain: string): string {
  const sentences = sentencesOf(plain);
  const rest = sentences.filter((one) => !isClosing(one));
  return rest.length === sentences.length ? plain : rest.join('');
}

export function isClosing(sentence: string): boolean {
  return sentence.length <= CLOSING_LENGTH_MAX && CLOSING.test(sentence.trim());
}
