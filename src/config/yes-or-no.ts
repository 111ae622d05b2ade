/** A switch: variables are texts, files know true and false. */
import { z } from 'zod';

export const yesOrNo = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'true or false',
);
