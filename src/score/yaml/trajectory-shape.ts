/** The form of the blocks `golden`, `tool_policy` and `tools` of a suite. */
import { z } from 'zod';
import type { Path } from '../../model/written-document.ts';

const texts = z.array(z.string());
const count = z.int('a whole number').min(0, 'at least 0');
const args = z.record(z.string(), z.unknown());

const CHOOSE = {
  scenario: z.string().optional(),
  tags: z.string().optional(),
  similarity: z.union([z.number().min(0, 'from 0 to 1').max(1, 'from 0 to 1'), z.literal(false)]).optional(),
};
const TOOLS = { writes: texts.optional(), reads: texts.optional() };
export const toolsShape = z.strictObject(TOOLS);

const GOLDEN = {
  files: z.union([z.string(), texts]),
  choose: z.strictObject(CHOOSE).optional(),
  ...TOOLS,
};
export const goldenShape = z.strictObject(GOLDEN);

const FORBIDDEN = { tool: z.string(), args: args.optional(), because: z.string().optional() };
const CONFIRM = { tool: z.string(), by: z.string().optional(), by_user: z.string().optional() };
const TOOL_POLICY = {
  allowed: texts.optional(),
  forbidden: z.array(z.union([z.string(), z.strictObject(FORBIDDEN)])).optional(),
  confirm_first: z.array(z.strictObject(CONFIRM)).optional(),
  max_calls: count.optional(),
  max_calls_of: z.record(z.string(), count).optional(),
};
export const toolPolicyShape = z.strictObject(TOOL_POLICY);

export type WrittenGolden = z.output<typeof goldenShape>;
export type WrittenToolPolicy = z.output<typeof toolPolicyShape>;

/** The fields there are at a place within one of the blocks, for suggestions. */
export function knownTrajectoryKeys(path: Path): readonly string[] {
  if (path[0] === 'golden') return Object.keys(path[1] === 'choose' ? CHOOSE : GOLDEN);
  if (path[0] === 'tools') return Object.keys(TOOLS);
  switch (path[1]) {
    case 'forbidden':
      return Object.keys(FORBIDDEN);
    case 'confirm_first':
      return Object.keys(CONFIRM);
    default:
      return Object.keys(TOOL_POLICY);
  }
}
