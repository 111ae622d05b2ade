/** Arguments that several tools have: one name is one thing, and looks the same in each of them, as in their results. */
import { z } from 'zod';

export const conversation_id = z.string().min(1);
export const agent = z.string().optional();
export const agent_version = z.string().optional();
export const environment = z.string().optional();
export const suite = z.string().optional();
export const since = z.string().optional().describe('began since: 24h, 7d, or an ISO time');
export const until = z.string().optional();
