/**
 * The t distribution beside the normal one: the point of the one that is as far out as a point of the other (Wallace,
 * 1959), which is right to about a hundredth from 3 degrees on:
 *
 *     z = (8 d + 1) / (8 d + 3) √(d ln(1 + t² / d))
 */

export function studentPoint(z: number, degrees: number): number {
  const scaled = (z * (8 * degrees + 3)) / (8 * degrees + 1);
  return Math.sqrt(degrees * Math.expm1((scaled * scaled) / degrees));
}

export function normalPoint(t: number, degrees: number): number {
  return ((8 * degrees + 1) / (8 * degrees + 3)) * Math.sqrt(degrees * Math.log1p((t * t) / degrees));
}
