/**
 * Finds one-digit numbers that name a thing: "order 6", "table no. 4". Other single digits count what is there, and are
 * no claims. An answer that numbers its things itself, such as "Order 1: …, Order 2: …", names none of them.
 */
import type { Specific } from './specifics.ts';

const NAMED =
  /(?<![\p{L}\d])(order|ticket|invoice|booking|reservation|room|table|gate|bestellung|auftrag|rechnung|zimmer|tisch|buchung|pedido|factura|reserva|mesa|commande|facture|chambre)(?: (?:no\.?|number|nr\.?|nummer|número|nº|n°))? ?#?(\d)(?![\w%]|[.,:/-]\d| (?:of|out of|von|de|sur)(?!\p{L}))/giu;

export function namedDigitsIn(text: string): readonly Specific[] {
  const byNoun = Map.groupBy(text.matchAll(NAMED), ([, noun = '']) => noun.toLowerCase());
  return [...byNoun.values()].flatMap((found) => {
    const digits = new Set(found.map(([, , digit = '']) => digit));
    const [digit = ''] = digits;
    return digits.size === 1 ? [{ kind: 'number', text: found[0]?.[0] ?? digit, forms: [digit] } as const] : [];
  });
}
