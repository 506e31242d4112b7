import { expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey, bearer } from '../../../../src/auth/index.ts';
import { salesforce } from '../../../../src/crm/salesforce/index.ts';
import { testCredentials } from '../../../../src/dev/testing/index.ts';
import { createIntegration } from '../../../../src/index.ts';
import { messageTemplate, type Toolbox } from '../../../../src/tools/index.ts';
import { chat } from '../../../../src/tools/providers/openai.ts';
import { startSandbox } from '../../../support/start-sandbox.ts';

/** An agent of the sandbox, as one at the keyboard meets it: each word goes to the model over HTTP. */
const startAgent = async (hasTools = true) => {
  const sandbox = await startSandbox('--model', '--crm', 'salesforce');
  const { env } = sandbox;
  const sent: string[] = [];
  const integration = createIntegration({
    messaging: {
      baseUrl: env['MESSAGING_BASE_URL'] ?? '',
      authenticate: bearer(() => env['MESSAGING_TOKEN'] ?? ''),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
      idempotency: 'key',
    },
    crm: {
      ...salesforce(),
      baseUrl: env['CRM_BASE_URL'] ?? '',
      authenticate: bearer(() => testCredentials.crm),
    },
    billing: {
      baseUrl: env['BILLING_BASE_URL'] ?? '',
      authenticate: apiKey('X-Api-Key', () => env['BILLING_API_KEY'] ?? ''),
      version: { path: 'v1' },
    },
    payments: {
      card: () => 'pm_on_file',
      below: 5000,
      ...(hasTools ? { refund: { below: 500, confirm: 'two-step' } } : {}),
    },
  });
  const call = {
    caseStatus: true,
    openCase: true,
    calendar: { ownerId: '005000000000001', timeZone: 'America/New_York' },
    verify: {
      sendCode: ({ to }: { readonly to: string }) => void sent.push(`a code to ${to}`),
      checkCode: ({ code }: { readonly code: string }) => (code === '472209' ? 'approved' : 'wrong') as 'wrong',
    },
    sendMessage: {
      templates: {
        address: messageTemplate({ text: () => 'Acme, 1 Main Street' }),
        visit: messageTemplate({ fields: z.object({ day: z.string() }), text: ({ day }) => day }),
      },
      send: ({ text, to }: { readonly text: string; readonly to: string }) => {
        sent.push(`${text} to ${to}`);
        return 'accepted' as const;
      },
    },
  };
  const phoneCall = integration.startPhoneCall({
    callId: 'CA1',
    phone: '+14155550100',
    tools: hasTools ? { call } : { call: false },
  });
  const messages: object[] = [];
  const answer = async (tools: Toolbox): Promise<string> => {
    const response = await fetch(`${env['OPENAI_BASE_URL']}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env['OPENAI_API_KEY']}` },
      body: JSON.stringify({ messages, tools: chat.tools(tools) }),
    });
    const { choices } = (await response.json()) as {
      choices: [Extract<Parameters<typeof chat.runAll>[1], { readonly message: object }>];
    };
    const [choice] = choices;
    messages.push(choice.message);
    if (!choice.message.tool_calls) return String(choice.message.content);
    messages.push(...(await chat.runAll(tools, choice)));
    return answer(tools);
  };
  return {
    sent,
    say: (words: string) => {
      messages.push({ role: 'user', content: words });
      return answer(phoneCall.turn({ heard: words }).tools);
    },
    end: async () => {
      await integration.close();
      return (await sandbox.end()).noted;
    },
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
};

test('a person at the keyboard books an appointment, moves it and cancels it', async () => {
  await using agent = await startAgent();

  expect(await agent.say('Please book an appointment.')).toMatch(/^You have an appointment at 20\d\d-/);
  expect(await agent.say('Move my appointment.')).toMatch(/^Move the appointment of /);
  expect(await agent.say('Yes.')).toMatch(/^Your appointment is now at 20\d\d-/);
  expect(await agent.say('Cancel my appointment.')).toMatch(/^Cancel the appointment of /);
  expect(await agent.say('No, wait.')).toBe('I leave it as it is.');
  expect(await agent.say('Cancel my appointment after all.')).toMatch(/^Cancel the appointment of /);
  expect(await agent.say('Yes, please.')).toBe('Your appointment is canceled.');
  expect(await agent.say('Cancel my appointment.')).toBe('You have no appointment.');
  expect((await agent.end()).match(/crm\.events\.\w+/g)).toEqual([
    'crm.events.create',
    'crm.events.update',
    'crm.events.delete',
  ]);
});

test('a person at the keyboard gets money back after a yes', async () => {
  await using agent = await startAgent();

  expect(await agent.say('I want a refund.')).toMatch(/^Shall I give 49\.9/);
  expect(await agent.say('Yes.')).toBe('You get 49.9 back.');
  expect(await agent.end()).toMatch(/billing\.payments\.refund {2}201/);
});

test('a person at the keyboard gets a text message and a case', async () => {
  await using agent = await startAgent();

  expect(await agent.say('Send me a text.')).toBe('I have sent it.');
  expect(await agent.say('Open a case: my oven is cold.')).toMatch(/^Your case is/);
  expect(await agent.say('How is my case?')).toBe('Case 00000001, Open a case: my oven is cold.: open.');
  expect(agent.sent).toEqual(['Acme, 1 Main Street to +14155550100']);
});

test('a person at the keyboard proves who they are', async () => {
  await using agent = await startAgent();

  expect(await agent.say('Send me a code.')).toBe('I sent a code to this number. Please read it out.');
  expect(await agent.say('It is 11 11 11.')).toMatch(/wrong_code/);
  expect(await agent.say('It is 47 22 09.')).toBe('Thank you, now I know who you are.');
  expect(agent.sent).toEqual(['a code to +14155550100']);
});

test('it says which tool the call doesn’t have', async () => {
  await using agent = await startAgent(false);

  expect(await agent.say('Book an appointment.')).toBe('I can’t do that here: this call has no list_free_slots.');
  expect(await agent.say('I want my money back.')).toBe('I can’t do that here: this call has no get_payment_status.');
  expect(await agent.say('What do I owe?')).toMatch(/^Your oldest invoice is inv_101, over 120\.5/);
});

test('after a no, nothing is charged before a yes to the next question', async () => {
  await using agent = await startAgent();

  expect(await agent.say('Please pay what I owe you.')).toMatch(/^Shall I charge 120/);
  expect(await agent.say('No, maybe later.')).toBe('All right, I will not charge it.');
  expect(await agent.say('Yes.')).toMatch(/^Shall I charge 120/);
  expect(await agent.say('Yes.')).toBe('That is paid.');
});
