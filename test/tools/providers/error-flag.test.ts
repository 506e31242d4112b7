import { expect, test } from 'vitest';
import type { ToolResult, ToolStatus } from '../../../src/tools/context.ts';
import {
  cancelled,
  confirmationRequired,
  type Failure,
  notAllowed,
  outOfTime,
  paymentUnknown,
  toFailedResult,
} from '../../../src/tools/failures.ts';
import { anthropic } from '../../../src/tools/providers/anthropic.ts';
import { bedrock } from '../../../src/tools/providers/bedrock.ts';
import { client } from '../../../src/tools/providers/elevenlabs.ts';
import { generateContent, live } from '../../../src/tools/providers/google.ts';
import { langchain } from '../../../src/tools/providers/langchain.ts';
import { isErrorResult, toModelOutput } from '../../../src/tools/providers/target.ts';
import { ultravox } from '../../../src/tools/providers/ultravox.ts';
import { vapi } from '../../../src/tools/providers/vapi.ts';
import { billingTools, createToolbox } from '../../../src/tools/index.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { apiKey } from '../../../src/auth/index.ts';
import { answer, held, startFaultServer } from '../../support/fault-server.ts';

const result = (failure: Failure): ToolResult => toFailedResult(failure);
const isUnknown = { isCancelled: true } as const;
const question = (why: 'caller_has_not_answered' | undefined) =>
  result(confirmationRequired({ summary: 'Shall I?', token: 't', expiresInSeconds: 300, why }, 'payment'));

test.each<[string, ToolResult, boolean]>([
  ['a payment that was sent and then cancelled', result(paymentUnknown({ idempotent: true }, isUnknown)), false],
  ['one that cannot be asked about', result(paymentUnknown({ idempotent: false }, isUnknown)), false],
  ['a payment whose end is unknown', result(paymentUnknown({ idempotent: true })), false],
  ['a payment that ran out of time', result(outOfTime({ effect: 'payment', idempotent: true })), false],
  ['a payment that was cancelled before it was sent', result(cancelled('payment')), true],
  ['a look-up that was cancelled', result(cancelled('read')), true],
  ['a question to read out', question(undefined), false],
  ['a question that is asked again', question('caller_has_not_answered'), false],
  ['a refusal', result(notAllowed('declined', 'payment')), true],
])('%s: the error flag', (_what, given, isError) => {
  expect(isErrorResult(given)).toBe(isError);
  expect(toModelOutput(given).type).toBe(isError ? 'error-text' : 'text');
});

const unknown = result(paymentUnknown({ idempotent: true }, isUnknown));

test('no target shows an error for a payment that was sent and then cancelled', () => {
  expect([
    anthropic.toResult({ id: '1', name: 'pay', input: {} }, unknown).is_error,
    bedrock.toResult({ toolUse: { toolUseId: '1', name: 'pay', input: {} } }, unknown).toolResult.status,
    generateContent.toResult({ id: '1', name: 'pay', args: {} }, unknown).functionResponse.response,
    langchain.toResult({ id: '1', name: 'pay', args: {} }, unknown).status,
  ]).toEqual([false, undefined, { output: unknown.value }, 'success']);
});

test('no target shows an error for a question to read out', () => {
  const { value, text } = question(undefined);
  const asked = question(undefined);
  const bedrockCall = { toolUse: { toolUseId: '1', name: 'pay', input: {} } };

  expect([
    anthropic.toResult({ id: '1', name: 'pay', input: {} }, asked).is_error,
    bedrock.toResult(bedrockCall, asked).toolResult.status,
    live.toResult({ id: '1', name: 'pay', args: {} }, asked).response,
    ultravox.toResult({ invocationId: '1', toolName: 'pay' }, asked),
    client.toResult({ tool_name: 'pay', tool_call_id: '1' }, asked).is_error,
    vapi.toResult({ id: '1', name: 'pay' }, asked),
    langchain.toResult({ id: '1', name: 'pay', args: {} }, asked).status,
  ]).toEqual([
    false,
    undefined,
    { output: value },
    { type: 'client_tool_result', invocationId: '1', result: text },
    false,
    { toolCallId: '1', name: 'pay', result: text },
    'success',
  ]);
});

test('a payment goes on while its tool call is cancelled, and the model sees no flag', async () => {
  const { reply, release } = held({ body: '{"status":"completed","confirmation_number":"C-1"}' });
  await using server = await startFaultServer(
    answer({ status: 200, body: '{"id":"c"}' }),
    answer({ status: 200, body: '[{"id":"i","amount":20}]' }),
    reply,
  );
  const billing = createBillingClient({
    baseUrl: server.origin,
    authenticate: apiKey('X-Key', () => 'k'),
    version: { path: 'v1' },
    payments: { below: 5_000 },
  });
  const late = Promise.withResolvers<unknown>();
  const toolbox = createToolbox({
    tools: billingTools({ billing, payments: { card: () => 'p', confirm: false } }),
    context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' }, onSettled: late.resolve },
  });
  const caller = new AbortController();
  const call = { type: 'tool_use', id: '1', name: 'create_payment', input: { invoice_id: 'i', amount: 20 } } as const;
  await toolbox.run('lookup_customer_invoices', {});
  const answered = anthropic.run(toolbox, call, { signal: caller.signal });
  await server.request(3);
  caller.abort();

  expect(await answered).toMatchObject({ is_error: false, content: expect.stringContaining('"outcome":"unknown"') });
  release();
  expect(await late.promise).toMatchObject({ result: { status: 'done', value: { confirmation_number: 'C-1' } } });
});

test('no status has a flag by itself but those of a failure', () => {
  const statuses: readonly ToolStatus[] = ['done', 'refused', 'failed', 'unknown', 'cancelled', 'waiting'];
  const flagged = statuses.filter((status) => isErrorResult({ status, value: {}, text: '{}', replayed: false }));
  expect(flagged).toEqual(['refused', 'failed', 'cancelled']);
});
