import { Agent, run, RunState, setTracingDisabled, tool } from '@openai/agents';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents/realtime';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import type { Toolbox } from '../../src/tools/index.ts';
import { openaiAgents } from '../../src/tools/providers/openai-agents.ts';
import { createApprovedTools, createPaymentTools } from '../support/payment-tools.ts';
import { runRealtimeScript } from './realtime-script.ts';
import { startScriptedSocket } from './scripted-socket.ts';
import { asText, type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

setTracingDisabled(true);

describeTarget({
  name: 'OpenAI Agents',
  flagsErrors: false,
  // The SDK itself answers arguments that are no JSON: see below.
  sendsText: false,
  // And runs no call id twice.
  refusesRepeatedIds: true,
  drive: (toolbox, turns) => runAgent(toolbox, turns),
});

const runAgent = async (toolbox: Toolbox, turns: readonly (readonly ModelCall[])[]): Promise<Driven> => {
  const model = new ScriptedModel([
    ...turns.map((calls) => calls.map((call) => functionCall(call.name, asText(call), { callId: call.id }))),
    [assistantMessage('Done.')],
  ]);
  const agent = new Agent({
    name: 'Billing',
    instructions: 'Help with invoices.',
    model,
    tools: openaiAgents.tools(toolbox, { tool }),
  });
  await run(agent, 'Pay my invoice.', { maxTurns: 10 });
  model.assertComplete();
  const { input } = model.calls.at(-1)!.request;
  const results = (typeof input === 'string' ? [] : input)
    .filter((item) => item.type === 'function_call_result')
    .map(({ callId, output }): ModelResult => ({ id: callId, text: textOf(output) }));
  const sent = JSON.stringify(model.calls.map(({ request }) => [request.input, request.tools]));
  return { sent, results };
};

const textOf = (output: unknown): string => (typeof output === 'string' ? output : (output as { text: string }).text);

describeTarget({
  name: 'OpenAI Agents, realtime',
  flagsErrors: false,
  // The SDK leaves such a call without an answer.
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    const results: ModelResult[] = [];
    await using server = await startScriptedSocket((connection) => runRealtimeScript(connection, turns, results));
    const agent = new RealtimeAgent({
      name: 'Billing',
      instructions: 'Help with invoices.',
      tools: openaiAgents.tools(toolbox, { tool }),
    });
    const transport = new OpenAIRealtimeWebSocket({ url: server.url });
    const session = new RealtimeSession(agent, { transport });
    await session.connect({ apiKey: 'test' });
    session.sendMessage('Pay my invoice.');
    await server.done;
    session.close();
    return { sent: server.sent(), results };
  },
});

test('OpenAI Agents: arguments that are not JSON are refused, and the conversation goes on', async () => {
  const { toolbox, charges } = createPaymentTools();

  const { results } = await runAgent(toolbox, [[{ id: 'call_1', name: 'pay_invoice', args: '{"amount": 4' }]]);

  expect(results.map(({ id }) => id)).toEqual(['call_1']);
  expect(charges).toEqual([]);
});

test.each([
  [true, [5], '{"refunded":5}'],
  [false, [], 'not approved'],
] as const)('OpenAI Agents: the run is interrupted until a person has said %s', async (isApproved, refunds, text) => {
  const tools = createApprovedTools('approve');
  const model = new ScriptedModel([
    [functionCall('refund', '{"amount":5}', { callId: 'call_1' })],
    [assistantMessage('Done.')],
  ]);
  const agent = new Agent({ name: 'Billing', model, tools: openaiAgents.tools(tools.toolbox, { tool }) });
  const interrupted = await run(agent, 'Give me my money back.');
  expect([interrupted.interruptions.length, tools.refunds]).toEqual([1, []]);
  for (const item of interrupted.interruptions) {
    if (isApproved) interrupted.state.approve(item);
    else interrupted.state.reject(item);
  }
  await run(agent, interrupted.state);

  expect(tools.refunds).toEqual(refunds);
  expect(JSON.stringify(model.calls.at(-1)!.request.input)).toContain(JSON.stringify(text).slice(1, -1));
});

test('OpenAI Agents: with both kinds the caller agrees first', async () => {
  const tools = createApprovedTools('both');
  const model = new ScriptedModel([
    [functionCall('refund', '{"amount":5,"confirmation_token":null}', { callId: 'call_1' })],
    [functionCall('refund', '{"amount":5,"confirmation_token":"a.b.c.d"}', { callId: 'call_2' })],
  ]);
  const agent = new Agent({ name: 'Billing', model, tools: openaiAgents.tools(tools.toolbox, { tool }) });
  const { interruptions } = await run(agent, 'Give me my money back.');

  expect(interruptions.map(({ rawItem }) => 'callId' in rawItem && rawItem.callId)).toEqual(['call_2']);
  expect(tools.refunds).toEqual([]);
});

test.each(['write', 'payment'] as const)(
  'OpenAI Agents: a saved state that is approved in two processes runs its %s once',
  async (effect) => {
    const store = createMemoryIdempotencyStore();
    const first = createApprovedTools('approve', { store, effect });
    const second = createApprovedTools('approve', { store, effect });
    const asks = new ScriptedModel([[functionCall('refund', '{"amount":5}', { callId: 'call_1' })]]);
    const agentOf = ({ toolbox }: typeof first, model: ScriptedModel) =>
      new Agent({ name: 'Billing', model, tools: openaiAgents.tools(toolbox, { tool }) });
    const saved = (await run(agentOf(first, asks), 'Give me my money back.')).state.toString();

    const told: string[] = [];
    for (const process of [first, second]) {
      const model = new ScriptedModel([[assistantMessage('Done.')]]);
      const agent = agentOf(process, model);
      const state = await RunState.fromString(agent, saved);
      for (const item of state.getInterruptions()) state.approve(item);
      await run(agent, state);
      told.push(JSON.stringify(model.calls.at(-1)!.request.input));
    }

    expect([first.refunds, second.refunds]).toEqual([[5], []]);
    expect(told[0]).not.toContain('already_');
    expect(told[1]).toContain(effect === 'write' ? 'already_done' : 'already_paid');
  },
);
