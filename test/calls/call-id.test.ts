import { expect, test } from 'vitest';
import { assertCallId } from '../../src/calls/call-id.ts';
import { startPhoneCall } from '../../src/index.ts';

const message = 'callId must be the id that your telephone platform gave the call: a placeholder was never filled in';

test.each([
  'undefined',
  'null',
  'NULL',
  'None',
  'nil',
  'NaN',
  'unknown',
  'false',
  '0',
  'n/a',
  'N/A',
  'not set',
  'undefined-undefined',
  '[object Object]',
  '[object Undefined]',
  'call-[object Promise]',
  'null:null',
  'undefined_null',
  '{{call_id}}',
  '{{ call.id }}',
  'call-{{id}}',
  '${call_id}',
  'x-${callSid}',
  '{call_id}',
  '{0}',
  '<call_id>',
  '<CALL-ID>',
  '%call_id%',
  '%{call_id}',
  '%(call_id)s',
  '%s',
  '$call_id',
  '$.ContactId',
  '$1',
  ':call_id',
  '#{call_id}',
  '@{call_id}',
  '<%= call_id %>',
  '[call_id]',
  '[[call_id]]',
  '__CALL_ID__',
  '%7B%7Bcall_id%7D%7D',
  '&lt;call_id&gt;',
  '{}',
  '{{}}',
  'YOUR_CALL_ID',
  'your-call-id-here',
  'call_id',
  'callId',
  'CallSid',
  'conversation_id',
  'system__conversation_id',
  '',
  ' ',
  '	\n',
  '-',
  '--',
  '""',
  "''",
  '?',
  '​',
  'null​',
])('%j is no id of a phone call', (callId) => {
  expect(() => assertCallId(callId)).toThrow(message);
  expect(() => startPhoneCall({}, { callId, direction: 'inbound' })).toThrow(message);
});

test.each([undefined, null, 7, {}, ['CA1']])('%j is no text', (callId) => {
  expect(() => assertCallId(callId)).toThrow(message);
});

test.each([
  'CA1',
  'CA0123456789abcdef0123456789abcdef',
  '550e8400-e29b-41d4-a716-446655440000',
  'v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0',
  'conv_01jxd5y165f62a0v7gtr6bkg56',
  'call_1',
  'call-7f3a',
  'SCL_4HGBQk3GL3RX',
  '1700000000.42',
  'X',
  'phone-call-1',
  'a84b4c76e66710@pc33.example.com',
  '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}',
  'call-_+14155550100_xYz',
  'nullify',
  'nonesuch',
  'undefinable-7',
  'x'.repeat(200),
  'Zoë-7',
])('%j is an id', (callId) => {
  expect(() => assertCallId(callId)).not.toThrow();
});
