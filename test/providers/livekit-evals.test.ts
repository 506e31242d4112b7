/** An agent on LiveKit, tested with LiveKit's own helpers, and with what the systems hold after the call. */
import { initializeLogger, llm, voice } from '@livekit/agents';
import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { salesforce } from '../../src/crm/salesforce/index.ts';
import { assertOn, createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { createIntegration } from '../../src/index.ts';
import { livekit } from '../../src/tools/providers/livekit.ts';

initializeLogger({ pretty: false, level: 'silent' });

const phone = '+14155550100';
const words = 'Please add to my case that it smells of gas.';

test('the agent adds to the case once, and says so', async () => {
  await using platform = createFakePlatform({ crm: 'salesforce' });
  const { crm: baseUrl } = await platform.listen();
  const { Id } = platform.crm.addContact({ LastName: 'Park', Phone: phone });
  platform.crm.addCase({ CaseNumber: '00000311', Subject: 'Cold oven', ContactId: Id });
  await using integration = createIntegration({
    crm: { ...salesforce(), baseUrl, authenticate: bearer(() => testCredentials.crm) },
    phoneCalls: { tools: { call: { addToCase: 'crm' } } },
  });
  const phoneCall = integration.startPhoneCall({ callId: 'room_1', phone });
  const model = new voice.testing.FakeLLM([
    { input: words, toolCalls: [{ name: 'add_to_case', args: { text: 'Smells of gas.' } }] },
    { input: '{"added":true,"case_number":"00000311"}', content: 'I have added that to your case 311.' },
  ]);
  const session = new voice.AgentSession({ llm: model });
  await session.start({
    agent: new voice.Agent({ instructions: 'Be brief.', tools: livekit.tools(phoneCall, { llm }) }),
  });

  const first = await session.run({ userInput: words }).wait();
  // The line was bad: the caller says it again.
  const second = await session.run({ userInput: words }).wait();
  await session.close();
  await phoneCall.finish({ outcome: 'resolved' });

  first.expect.nextEvent({ type: 'function_call' }).isFunctionCall({ name: 'add_to_case' });
  first.expect.nextEvent({ type: 'function_call_output' }).isFunctionCallOutput({ isError: false });
  first.expect.nextEvent({ type: 'message' }).isMessage({ role: 'assistant' });
  second.expect.containsFunctionCall({ name: 'add_to_case' });
  assertOn(platform).didOnce('crm.cases.addNote');
  assertOn(platform).loggedOnce('resolved');
  expect(platform.crm.records('CaseComment')).toMatchObject([{ CommentBody: 'Smells of gas.', IsPublished: false }]);
});
