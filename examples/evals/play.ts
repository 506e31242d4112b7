/** Plays one phone call of the evals with a model, and checks what it left behind. */
import { env } from 'node:process';
import OpenAI from 'openai';
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, bearer } from 'voice-agent-integrations/auth';
import { createFakePlatform, createScriptedModel, testCredentials } from 'voice-agent-integrations/testing';
import { chat } from 'voice-agent-integrations/tools/openai';
import type { EndedCall, EvalCall } from './call.ts';

const instructions = `You answer the phone for Acme. Be brief: your words are spoken.
Take a payment only after the caller has agreed to its amount. Say only what a tool has answered.
When a payment's outcome is unknown, never say that it failed or that it worked: say that we will check.`;

/** Three systems of its own for each call, with the customers that all calls share. */
const startSystems = async () => {
  const platform = createFakePlatform();
  const urls = await platform.listen();
  platform.messaging.addTeam({ id: 'team_billing', name: 'Billing' });
  platform.messaging.addContact({ name: 'Ada Park', phone: '+14155550100', email: 'ada@northwind.example' });
  const { billing } = platform;
  billing.addCustomer({ id: 'cus_ada', name: 'Ada Park', phone: '+14155550100', email: 'ada@northwind.example' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ada', amount: 120.5, due_date: '2026-02-28' });
  billing.addInvoice({ id: 'inv_2', customer_id: 'cus_ada', amount: 80, due_date: '2026-03-31' });
  billing.addCustomer({ id: 'cus_other', name: 'Bo Lind', phone: '+14155550177' });
  billing.addInvoice({ id: 'inv_9', customer_id: 'cus_other', amount: 999, due_date: '2026-01-31' });
  billing.addCustomer({ id: 'cus_berlin', name: 'Cem Aydin', phone: '+4930901820' });
  billing.addInvoice({ id: 'inv_4', customer_id: 'cus_berlin', amount: 75, due_date: '2026-04-30' });
  const integration = createIntegration({
    messaging: {
      baseUrl: urls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
    crm: { baseUrl: urls.crm, authenticate: bearer(() => testCredentials.crm), version: '60.0' },
    billing: {
      baseUrl: urls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
    },
    payments: { below: 5000, confirm: false },
  });
  return {
    platform,
    integration,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};

/** `failed` says which checks failed, and why. */
export const play = async (call: EvalCall): Promise<EndedCall & { readonly failed: readonly string[] }> => {
  await using systems = await startSystems();
  const { platform, integration } = systems;
  call.before?.(platform);
  await using script = createScriptedModel(call.script);
  const { OPENAI_API_KEY: key, OPENAI_MODEL: model = 'gpt-4.1' } = env;
  const openai = key ? new OpenAI() : new OpenAI({ apiKey: 'none', baseURL: `${await script.listen()}/v1` });

  const phoneCall = integration.startPhoneCall({
    callId: call.name,
    direction: 'inbound',
    phone: 'phone' in call ? call.phone : '+14155550100',
    tools: {
      call: { teams: { Billing: 'team_billing' } },
    },
    payments: { card: () => 'pm_on_file', confirm: false },
  });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: instructions }];
  const said: string[] = [];
  const line = new AbortController();

  const answer = async (): Promise<void> => {
    const { tools } = phoneCall.turn({ signal: line.signal });
    for (let step = 0; step < 8 && !line.signal.aborted; step += 1) {
      const { choices } = await openai.chat.completions.create({ model, messages, tools: chat.tools(tools) });
      const [choice] = choices;
      if (!choice) return;
      const { message } = choice;
      const pays = message.tool_calls?.some((one) => 'function' in one && one.function.name === 'create_payment');
      if (call.hangsUpDuringPayment && pays) setTimeout(() => line.abort(), 50);
      const results = await chat.runAll(tools, choice);
      messages.push(message, ...results);
      if (results.length === 0) return void said.push(message.content ?? '');
    }
  };
  for (const content of call.caller) {
    if (line.signal.aborted) break;
    messages.push({ role: 'user', content });
    await answer();
  }
  await phoneCall.finish({ outcome: 'ended', summary: `The agent said: ${said.join(' ')}` });

  const ended = { platform, said: said.join('\n') };
  const failed = Object.entries(call.checks).flatMap(([what, check]) => {
    try {
      return check(ended) === false ? [`${what}: it isn’t so`] : [];
    } catch (error) {
      return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  return { ...ended, failed };
};
