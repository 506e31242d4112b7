import { expect, test } from 'vitest';
import { isCutOff } from '../../src/tools/finish-reason.ts';

test.each([
  'length',
  'max_tokens',
  'MAX_TOKENS',
  'max-tokens',
  'max_output_tokens',
  'incomplete',
  'model_length',
  'model_context_window_exceeded',
  'context_length_exceeded',
  'token_limit',
  'truncated',
  'MALFORMED_FUNCTION_CALL',
  'malformed_tool_use',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'content_filter',
  'content_filtered',
  'content-filter',
  'refusal',
  'SAFETY',
  'PROHIBITED_CONTENT',
  'guardrail_intervened',
  'error',
  'failed',
  'cancelled',
  'insufficient_system_resource',
  // Chunks of a stream that were joined.
  'lengthlength',
])('a message that ended with %s was cut', (reason) => {
  expect(isCutOff(reason)).toBe(true);
});

test.each([
  'stop',
  'STOP',
  'tool_calls',
  'tool-calls',
  'function_call',
  'tool_use',
  'TOOL_CALL',
  'end_turn',
  'stop_sequence',
  'pause_turn',
  'completed',
  'COMPLETE',
  'in_progress',
  'eos',
  'eos_token',
  'FINISH_REASON_UNSPECIFIED',
  'unknown',
  '',
  null,
  undefined,
  200,
  { reason: 'length' },
])('a message that ended with %s is whole', (reason) => {
  expect(isCutOff(reason)).toBe(false);
});
