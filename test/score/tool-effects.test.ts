/** Which tools change something: by their names, by what spans say, by what people say. */
import { describe, expect, test } from 'vitest';
import { effectByName } from '../../src/score/subject/effect-by-name.ts';
import { handsOverBy, handsOverByDefault } from '../../src/score/subject/hand-over.ts';
import type { ToolEffect } from '../../src/score/subject/effect-by-name.ts';
import { toolEffects } from '../../src/score/subject/tool-effects.ts';
import { aStep } from './conversations.ts';

describe('by its name', () => {
  const { of } = toolEffects();

  test.each<[ToolEffect, string]>([
    ['writes', 'delete_ticket deleteTicket DELETE_TICKET crm.tickets.update sendEmail book_meeting order_pizza'],
    ['writes', 'email log_call file_claim record_payment adjust_premium credit_account'],
    ['writes', 'exchange_delivered_order_items return_delivered_order_items modify_pending_order_address'],
    ['writes', 'toggle_roaming suspend_line make_payment check_in_passenger mark_as_read run_sql'],
    ['writes', 'str_replace_based_edit_tool execute_trade transfer_money calendar-create-event gmail.drafts.send'],
    ['writes', 'get_and_delete find_or_create_user read_then_write search_and_book checkout sms tweet'],
    ['reads', 'get_and_count search_or_list'],
    ['reads', 'get_order list_updates search_posts check_availability track_order order_status exchange_rate'],
    ['reads', 'find_user_id_by_email calculate think run_query email_search return_policy booking_details'],
    ['reads', 'can_send_mms is_eligible transfer_to_billing_agent handoff_to_agent'],
    ['hands_over', 'transfer_to_human_agents transferToHuman escalate human_handoff'],
    ['unknown', 'weather crm_sync python foo42 call_log medical_record'],
  ])('%s: %s', (effect, tools) => {
    const named = tools.split(' ');

    expect(named.map((tool) => [tool, of(tool)])).toEqual(named.map((tool) => [tool, effect]));
  });

  test('nothing is known of an empty or an endless name', () => {
    expect(effectByName('')).toBe('unknown');
    expect(effectByName('x'.repeat(1_000_000))).toBe('unknown');
    expect(effectByName('__proto__')).toBe('unknown');
    expect(effectByName('constructor')).toBe('unknown');
  });
});

describe('the first that knows decides', () => {
  const steps = [
    aStep({ toolEffects: new Map([['send_query', 'reads'] as const]) }),
    aStep({ toolEffects: new Map([['crm_sync', 'writes'] as const]) }),
  ];
  const tools = ['weather_map', 'get_token', 'send_query', 'crm_sync', 'send_mail'];
  const known = (effects: ReturnType<typeof toolEffects>) => tools.map(effects.in({ steps }, handsOverByDefault));

  test('people before spans, spans before names, and the suite before the configuration', () => {
    const suite = { writes: ['weather*'] };
    const configured = { writes: ['get_token'], reads: ['weather_map', 'send_query', 'crm_sync'] };

    expect(known(toolEffects())).toEqual(['unknown', 'reads', 'reads', 'writes', 'writes']);
    expect(known(toolEffects([undefined, configured]))).toEqual(['reads', 'writes', 'reads', 'reads', 'writes']);
    expect(known(toolEffects([suite, configured]))).toEqual(['writes', 'writes', 'reads', 'reads', 'writes']);
    expect(tools.map(toolEffects([suite]).of)).toEqual(['writes', 'reads', 'writes', 'unknown', 'writes']);
  });

  test('which tools hand over is known before what spans and names say, and after what people say', () => {
    const handsOver = handsOverBy(['send_mail', 'get_token']);
    const effects = toolEffects([{ writes: ['get_token'] }]).in({ steps }, handsOver);

    expect(['send_mail', 'get_token', 'transfer_to_human_agents'].map(effects)).toEqual([
      'hands_over',
      'writes',
      'reads',
    ]);
  });

  test('where two spans disagree, the tool writes', () => {
    const disagreeing = [...steps, aStep({ toolEffects: new Map([['send_query', 'writes'] as const]) })];

    expect(toolEffects().in({ steps: disagreeing }, handsOverByDefault)('send_query')).toBe('writes');
    expect(toolEffects().in({ steps: disagreeing.toReversed() }, handsOverByDefault)('send_query')).toBe('writes');
  });
});
