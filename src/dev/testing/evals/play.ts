import { apiKey, bearer } from '../../../auth/secret-credential.ts';
import { salesforce } from '../../../crm/salesforce/salesforce.ts';
import { createIntegration } from '../../../integration.ts';
import { intercom } from '../../../messaging/intercom/preset.ts';
import type { PhoneCallToolOptions } from '../../../phone-call/tools.ts';
import { createFakePlatform } from '../platform.ts';
import { testCredentials } from '../platform-options.ts';
import { createScriptedModel } from '../scripted-model.ts';
import type { EndedCall, EvalAgent, EvalCall } from './call.ts';
import { evalCalls } from './calls.ts';

/** One call after it was played: `failed` names the checks that failed, and why. */
export interface PlayedCall extends EndedCall {
  readonly name: string;
  readonly failed: readonly string[];
}

/** The result of all calls. */
export interface Scorecard {
  readonly passed: number;
  readonly calls: readonly PlayedCall[];
  /** The card in words, a line for each call, with what failed and what the agent said. */
  readonly text: string;
}

/**
 * Plays phone calls with your agent, each against three fake systems of its own, and returns a scorecard. The calls go
 * wrong in ways that real ones do.
 *
 * @example
 * const { passed, text } = await playCalls(({ phoneCall }) => async ({ heard, tools }) => askYourModel(heard, tools));
 * console.log(text);
 */
export const playCalls = async (agent: EvalAgent, calls: readonly EvalCall[] = evalCalls): Promise<Scorecard> => {
  const played: PlayedCall[] = [];
  for (const call of calls) played.push(await playCall(agent, call));
  const passed = played.filter(({ failed }) => failed.length === 0).length;
  const text = [...played.flatMap(linesOf), `${passed} of ${calls.length} calls`].join('\n');
  return { passed, calls: played, text };
};

const linesOf = ({ name, failed, said }: PlayedCall): readonly string[] =>
  failed.length === 0
    ? [`✔ ${name}`]
    : [`✘ ${name}`, ...failed.map((reason) => `    ${reason}`), `    the agent said: ${said.replaceAll('\n', ' / ')}`];

/**
 * Plays one phone call with your agent. `failed` is empty if it passed.
 *
 * @example
 * const { failed } = await playCall(agent, ourCall);
 */
export const playCall = async (agent: EvalAgent, call: EvalCall): Promise<PlayedCall> => {
  await using systems = await startSystems();
  const { platform, integration, tools, sent } = systems;
  call.before?.(platform);
  const phoneCall = integration.startPhoneCall({
    callId: call.name,
    phone: 'phone' in call ? call.phone : adasPhone,
    tools,
    payments: { card: () => 'pm_on_file', confirm: false },
  });
  await using scripted = createScriptedModel(call.script);
  const answer = agent({ call, phoneCall, scripted });
  const line = new AbortController();
  const { signal } = line;
  const isPaying = () => platform.requests.some(({ operation }) => operation === 'billing.payments.create');
  const dying = call.hangsUpDuringPayment ? setInterval(() => isPaying() && line.abort(), 5) : undefined;
  const said: string[] = [];
  try {
    for (const heard of call.caller) {
      if (signal.aborted) break;
      said.push(await answer({ heard, tools: phoneCall.turn({ heard, signal }).tools, signal }));
    }
  } catch (error) {
    // An agent may break off where the line is dead.
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(dying);
  }
  await phoneCall.finish({ outcome: 'ended', summary: `The agent said: ${said.join(' ')}`, transcript: false });
  const ended = { platform, sent, said: said.join('\n') };
  return { ...ended, name: call.name, failed: failedIn(call, ended) };
};

const failedIn = ({ checks }: EvalCall, ended: EndedCall): readonly string[] =>
  Object.entries(checks).flatMap(([what, check]) => {
    try {
      return check(ended) === false ? [`${what}: it isn’t so`] : [];
    } catch (error) {
      return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });

const adasPhone = '+14155550100';

/** Three systems of its own for each call, with the people whom all calls share. */
const startSystems = async () => {
  const platform = createFakePlatform({ messaging: 'intercom', crm: 'salesforce' });
  const urls = await platform.listen();
  const { billing, crm, messaging } = platform;
  messaging.addTeam({ id: 'team_billing', name: 'Billing' });
  const repairs = messaging.addTicketType({ name: 'Repair' });
  messaging.addContact({ name: 'Ada Park', phone: adasPhone, email: 'ada@northwind.example' });
  billing.addCustomer({ id: 'cus_ada', name: 'Ada Park', phone: adasPhone, email: 'ada@northwind.example' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ada', amount: 120.5, due_date: '2026-02-28' });
  billing.addInvoice({ id: 'inv_2', customer_id: 'cus_ada', amount: 80, due_date: '2026-03-31' });
  billing.addCustomer({ id: 'cus_other', name: 'Bo Lind', phone: '+14155550177' });
  billing.addInvoice({ id: 'inv_9', customer_id: 'cus_other', amount: 999, due_date: '2026-01-31' });
  billing.addCustomer({ id: 'cus_berlin', name: 'Cem Aydin', phone: '+4930901820' });
  billing.addInvoice({ id: 'inv_4', customer_id: 'cus_berlin', amount: 75, due_date: '2026-04-30' });
  const ada = crm.addContact({ LastName: 'Park', Phone: adasPhone, Email: 'ada@northwind.example' });
  const bo = crm.addContact({ LastName: 'Lind', Phone: '+14155550177' });
  crm.addCase({ CaseNumber: '00000311', Subject: 'Cold oven', Status: 'Waiting for a part', ContactId: ada.Id });
  crm.addCase({ CaseNumber: '00000977', Subject: 'Private matter', Status: 'Escalated', ContactId: bo.Id });
  const integration = createIntegration({
    messaging: {
      ...intercom(),
      baseUrl: urls.messaging,
      authenticate: bearer(() => testCredentials.messaging),
      adminId: 'admin_1',
    },
    crm: { ...salesforce(), baseUrl: urls.crm, authenticate: bearer(() => testCredentials.crm) },
    billing: {
      baseUrl: urls.billing,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
    },
    payments: { below: 5000, confirm: false, refund: { below: 500, confirm: 'two-step' } },
    // A call goes wrong on purpose.
    onError: () => {},
  });
  const sent: { readonly to: string; readonly text: string }[] = [];
  const send = ({ to, text }: { readonly to: string; readonly text: string }): void => void sent.push({ to, text });
  const accept = (message: { readonly to: string; readonly text: string }) => {
    send(message);
    return 'accepted' as const;
  };
  const tools: PhoneCallToolOptions = {
    call: {
      sendMessage: { templates: { office_address: { text: () => 'Acme, 1 Main Street' } }, send: accept },
      verify: {
        sendCode: ({ to }) => send({ to, text: 'code' }),
        checkCode: ({ code }) => (code === '424242' ? 'approved' : 'wrong'),
      },
      teams: { Billing: 'team_billing' },
      ticketTypeId: repairs.id,
      ticketStatus: true,
      caseStatus: true,
      openCase: true,
      addToCase: 'crm',
      calendar: { ownerId: ada.OwnerId, timeZone: 'America/New_York' },
    },
  };
  return {
    platform,
    integration,
    tools,
    sent,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await platform.close();
    },
  };
};
