/**
 * How much worse an agent may get, in the gate where no file says otherwise and in the alert rules. Both are shares of the baseline: a success rate of 0.90 may fall to
 * 0.855, and a dollar may buy a tenth fewer successes.
 */
export const SUCCESS_DROP = 0.05;
export const COST_EFFICIENCY_DROP = 0.1;

/** Rise of the cost of a success if a dollar buys this share less: a tenth less is a ninth dearer. */
export function riseOfCost(efficiencyDrop: number): number {
  return 1 / (1 - efficiencyDrop) - 1;
}
