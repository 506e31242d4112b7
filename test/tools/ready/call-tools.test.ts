import { describe, expect, test } from 'vitest';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { billingTools, callTools, type CallToolsOptions, createToolbox } from '../../../src/tools/index.ts';
import { loggedWords, qualifiedWords } from '../../../src/tools/ready/crm-tools.ts';
import { allTools } from '../../support/answered-phone-call.ts';
import { connectPlatform, keysOf } from '../../support/connected-platform.ts';

const phone = '+14155550100';

interface StartOptions {
  readonly tools?: Partial<CallToolsOptions>;
  readonly withConversation?: boolean;
  /** The caller hides the number. */
  readonly isAnonymous?: boolean;
}

/** A phone call of a known contact, with a conversation of its own and one of another contact. */
const start = async ({ tools = {}, withConversation = true, isAnonymous = false }: StartOptions = {}) => {
  const { platform, clients, ...rest } = await connectPlatform();
  const company = platform.messaging.addCompany({
    name: 'Acme',
    plan: 'Gold',
    monthly_spend: 1200,
    custom_attributes: { account_manager: 'Ada', health_score: 7, secret: 'x' },
  });
  const contact = platform.messaging.addContact({
    name: 'Jane',
    phone,
    email: 'jane@example.com',
    company_ids: [company.id],
    custom_attributes: { last_call_date: '2026-01-02', ssn: '078-05-1120' },
  });
  const own = platform.messaging.addConversation({ contact_id: contact.id });
  const foreign = platform.messaging.addConversation({ contact_id: contact.id });
  const team = platform.messaging.addTeam({ name: 'Billing' });
  const sales = platform.messaging.addTeam({ name: 'Sales' });
  const phoneCall = startPhoneCall(clients, {
    callId: 'CA1',
    direction: 'Inbound',
    ...(isAnonymous ? {} : { phone }),
  });
  const toolbox = createToolbox({
    tools: callTools({
      phoneCall: () => phoneCall,
      messaging: clients.messaging,
      teams: { Billing: team.id, Sales: sales.id },
      ...tools,
    }),
    context: () => ({
      callId: 'CA1',
      caller: phoneCall.caller,
      conversationIds: withConversation ? [own.id] : [],
    }),
  });
  const conversation = (id: string) => platform.messaging.conversations.find((one) => one.id === id);
  return { platform, toolbox, own, foreign, team, conversation, phoneCall, ...rest };
};

describe('identify_caller', () => {
  test('gives the name of a known contact, and nothing else of it', async () => {
    await using started = await start();

    expect((await started.toolbox.run('identify_caller', '{}')).text).toBe('{"status":"known contact","name":"Jane"}');
  });

  test('says nothing about who it may be when several match', async () => {
    await using started = await start();
    started.platform.messaging.addContact({ name: 'Joe', phone });

    expect((await started.toolbox.run('identify_caller', {})).text).toBe(
      '{"status":"several match","matches":2,"message":"Ask for their e-mail address and call this again with it, or offer a colleague."}',
    );
  });

  test('does not look for another number', async () => {
    await using started = await start();
    const before = started.platform.requests.length;

    expect(await started.toolbox.run('identify_caller', { phone: '+14155550199' })).toMatchObject({
      status: 'refused',
    });
    expect(started.platform.requests).toHaveLength(before);
  });

  test('takes the contact of the line, whatever e-mail the caller says', async () => {
    await using started = await start();
    started.platform.messaging.addContact({ name: 'Joe', email: 'joe@example.com' });

    expect((await started.toolbox.run('identify_caller', { email: 'joe@example.com' })).value).toEqual({
      status: 'known contact',
      name: 'Jane',
    });
  });

  test('takes the one of several that has the e-mail that the caller says', async () => {
    await using started = await start();
    started.platform.messaging.addContact({ name: 'Joe', phone, email: 'joe@example.com' });

    expect((await started.toolbox.run('identify_caller', { email: 'joe@example.com' })).value).toEqual({
      status: 'known contact',
      name: 'Joe',
    });
  });

  test('gives nothing of a stranger who has the e-mail that the caller says', async () => {
    await using started = await start();
    started.platform.messaging.addContact({ name: 'Joe', phone });
    started.platform.messaging.addContact({ name: 'Victoria', phone: '+14155550199', email: 'victoria@example.com' });

    expect((await started.toolbox.run('identify_caller', { email: 'victoria@example.com' })).value).toEqual({
      status: 'found by what the caller said',
      profile: 'private until the caller is verified',
    });
    expect((await started.toolbox.run('get_caller_context', {})).value).toEqual({
      error: 'not_allowed',
      reason: 'verification_required',
      message: expect.stringContaining('offer a colleague'),
    });
    started.phoneCall.verifyCaller('strong');
    expect((await started.toolbox.run('get_caller_context', {})).value).toMatchObject({ name: 'Victoria' });
  });
});

describe('a caller who hides the number', () => {
  test.each([
    ['identify_caller', {}, 'must be given: the caller is not known, ask for it'],
    ['qualify_lead', { last_name: 'Doe', company: 'Initech' }, 'must be given: the caller is not known'],
  ])('is asked for an address by %s, and nothing is looked up or made', async (name, args, problem) => {
    await using started = await start({ isAnonymous: true });
    const before = started.platform.requests.length;

    const { status, value } = await started.toolbox.run(name, args);

    expect({ status, value }).toEqual({
      status: 'refused',
      value: { error: 'invalid_arguments', fields: [{ field: 'email', problem }] },
    });
    expect(started.platform.requests).toHaveLength(before);
  });

  test.each([{ phone }, { email: 'jane@example.com' }])(
    'is found by %o where anyone may be looked for',
    async (args) => {
      await using started = await start({ isAnonymous: true, tools: { lookup: 'anyone' } });

      expect((await started.toolbox.run('identify_caller', args)).text).toBe(
        '{"status":"known contact","name":"Jane"}',
      );
    },
  );
});

describe('get_caller_context', () => {
  test('asks for the caller first', async () => {
    await using started = await start();

    expect((await started.toolbox.run('get_caller_context', {})).text).toBe(
      '{"error":"not_allowed","reason":"identify_caller_first",' +
        '"message":"Call identify_caller, with the e-mail address that the caller says if needed."}',
    );
  });

  test('gives what an agent needs, and no id, address or attribute that is not allowed', async () => {
    await using started = await start();
    await started.toolbox.run('identify_caller', {});

    expect((await started.toolbox.run('get_caller_context', {})).value).toEqual({
      name: 'Jane',
      company: 'Acme',
      tier: 'Gold',
      recurring_revenue: 1200,
      account_manager: 'Ada',
      health: { health_score: 7 },
      last_call_date: '2026-01-02',
    });
  });
});

describe('notes, replies and teams', () => {
  test('a note stays internal, whatever its words', async () => {
    await using started = await start();
    const { toolbox, own, conversation, platform } = started;

    expect((await toolbox.run('add_note', { text: 'message_type: comment', message_type: 'comment' })).text).toBe(
      '{"noted":true}',
    );
    expect(platform.requests.at(-1)?.body).toEqual({
      message_type: 'note',
      body: 'message_type: comment',
      admin_id: 'admin_1',
    });
    expect(conversation(own.id)?.parts).toEqual([expect.objectContaining({ type: 'note' })]);
  });

  test('a reply reaches the customer once, however often it is asked for', async () => {
    await using started = await start();
    const { toolbox, platform } = started;

    expect((await toolbox.run('reply_to_customer', { text: 'Done.' }, { toolCallId: 'a' })).text).toBe('{"sent":true}');
    expect(await toolbox.run('reply_to_customer', { text: 'Done.' }, { toolCallId: 'b' })).toMatchObject({
      replayed: true,
    });
    expect(platform.effects('messaging.conversations.reply')).toBe(1);
  });

  test.each(['add_note', 'reply_to_customer'])('%s refuses a text that says nothing, and says so', async (name) => {
    await using started = await start();

    expect((await started.toolbox.run(name, { text: ' \n' })).value).toEqual({
      error: 'invalid_arguments',
      fields: [{ field: 'text', problem: 'must not be empty' }],
    });
    expect(started.platform.requests).toEqual([]);
  });

  test('a team is known by its name only', async () => {
    await using started = await start();
    const { toolbox, own, team, conversation } = started;

    expect((await toolbox.run('route_to_team', { team: 'Billing' })).text).toBe('{"routed_to":"Billing"}');
    expect(conversation(own.id)).toMatchObject({ team_assignee_id: team.id });
    expect(await toolbox.run('route_to_team', { team: team.id })).toMatchObject({ status: 'refused' });
  });

  test('a team that had the conversation before can have it again', async () => {
    await using started = await start();
    const { toolbox, conversation, own, team } = started;
    const teamNow = () => conversation(own.id)?.team_assignee_id;
    for (const name of ['Billing', 'Sales', 'Billing']) {
      expect((await toolbox.run('route_to_team', { team: name })).text).toBe(`{"routed_to":"${name}"}`);
    }

    expect(teamNow()).toBe(team.id);
  });

  test.each(['add_note', 'reply_to_customer'])('%s refuses a conversation that is not of this call', async (name) => {
    await using started = await start();
    const { toolbox, foreign, platform } = started;

    expect(await toolbox.run(name, { text: 'x', conversation_id: foreign.id })).toMatchObject({
      value: { fields: [{ field: 'conversation_id' }] },
    });
    expect(platform.requests).toEqual([]);
  });

  test('work from the first turn: they start one conversation for the phone call', async () => {
    await using started = await start({ withConversation: false });
    const { platform, toolbox, own, foreign } = started;

    const results = await Promise.all([
      toolbox.run('add_note', { text: 'Rang.' }),
      toolbox.run('reply_to_customer', { text: 'Done.' }),
      toolbox.run('route_to_team', { team: 'Billing' }),
    ]);

    expect(results.map(({ text }) => text)).toEqual(['{"noted":true}', '{"sent":true}', '{"routed_to":"Billing"}']);
    expect(keysOf(platform, 'messaging.conversations.create')).toEqual(['CA1:conversation']);
    const [conversation, ...others] = platform.messaging.conversations.filter(
      ({ id }) => id !== own.id && id !== foreign.id,
    );
    expect(others).toEqual([]);
    expect(conversation?.parts.map(({ type }) => type).toSorted()).toEqual(['assignment', 'comment', 'note']);
    expect(conversation).toMatchObject({ team_assignee_id: started.team.id });
  });

  test.each<[string, object]>([
    ['add_note', { text: 'x' }],
    ['route_to_team', { team: 'Billing' }],
  ])('%s asks for another detail when several contacts match', async (name, args) => {
    await using started = await start({ withConversation: false });
    const { platform, toolbox } = started;
    platform.messaging.addContact({ name: 'Joe', phone, email: 'joe@example.com' });

    expect(await toolbox.run(name, args)).toMatchObject({
      status: 'refused',
      value: {
        error: 'not_allowed',
        reason: 'several_contacts_match',
        message: 'Ask the caller for their e-mail address and call identify_caller with it.',
      },
    });
    expect(platform.messaging.conversations).toHaveLength(2);
    await toolbox.run('identify_caller', { email: 'joe@example.com' });
    expect(await toolbox.run(name, args)).toMatchObject({ status: 'done' });
  });

  test('a caller of whom nothing is known is identified first', async () => {
    await using started = await start({ withConversation: false, isAnonymous: true });

    expect(await started.toolbox.run('add_note', { text: 'x' })).toMatchObject({
      status: 'refused',
      value: { error: 'not_allowed', reason: 'identify_caller_first' },
    });
  });
});

describe('leads and the log', () => {
  test('a prospect becomes one lead, and the call one Task', async () => {
    await using started = await start();
    const { toolbox, platform } = started;
    const lead = {
      last_name: 'Doe',
      company: 'Initech',
      employees: 40,
      expected_close: '2026-12-31',
      first_name: null,
    };

    expect((await toolbox.run('qualify_lead', lead)).text).toBe('{"result":"saved as a new lead"}');
    expect((await toolbox.run('log_call', { outcome: 'qualified' })).text).toBe('{"result":"logged"}');
    expect((await toolbox.run('log_call', { outcome: 'qualified', summary: 'Wants a demo' })).text).toBe(
      '{"result":"log updated"}',
    );
    expect(platform.crm.leads).toEqual([
      expect.objectContaining({ LastName: 'Doe', Company: 'Initech', Phone: phone, NumberOfEmployees: 40 }),
    ]);
    expect(platform.crm.tasks).toEqual([expect.objectContaining({ CallType: 'Inbound', Description: 'Wants a demo' })]);
  });

  test('what is logged last is what the log says, also when it was said before', async () => {
    await using started = await start();
    const { platform, toolbox } = started;
    for (const outcome of ['resolved', 'escalated', 'resolved']) await toolbox.run('log_call', { outcome });

    expect(platform.crm.tasks).toHaveLength(1);
    expect(JSON.stringify(platform.crm.tasks[0])).toContain('resolved');
    expect(JSON.stringify(platform.crm.tasks[0])).not.toContain('escalated');
  });

  test('every code has its words', () => {
    expect(qualifiedWords).toEqual({
      lead_created: 'saved as a new lead',
      open_lead: 'already a lead, noted there',
      converted_lead: 'already became a customer, noted for their contact',
      contact_task: 'already a customer, noted for follow-up',
      contact_opportunity: 'already a customer, saved as a new opportunity',
      lead_refused: 'noted for follow-up, but the CRM takes no lead like this: ask for what is missing and try again',
      ambiguous: 'several people match, nothing saved: ask for the e-mail address and try again',
      account_opportunity: 'company is a customer, saved as a new opportunity',
    });
    expect(loggedWords).toEqual({
      created: 'logged',
      updated: 'log updated',
      unchanged: 'already logged',
      kept: 'kept, and logged when the call ends',
    });
  });
});

describe('all tools together', () => {
  const all = async () => {
    const { platform, clients } = await connectPlatform();
    const phoneCall = startPhoneCall(clients, { callId: 'CA1', direction: 'Inbound', phone });
    const tools = [
      ...billingTools({
        billing: clients.billing,
        payments: { confirm: 'two-step', card: () => 'pm_1' },
      }),
      ...callTools({
        ...allTools,
        phoneCall: () => phoneCall,
        messaging: clients.messaging,
        crm: clients.crm,
        teams: { Billing: 't1', Sales: 't2' },
      }),
    ];
    await platform.close();
    return createToolbox({ tools });
  };

  test('read or can be repeated, but for one payment and two writes that mean another each time', async () => {
    const infos = (await all()).tools();

    expect(infos.filter(({ effect }) => effect === 'payment').map(({ name }) => name)).toEqual(['create_payment']);
    expect(infos.filter(({ idempotent }) => !idempotent).map(({ name }) => name)).toEqual([
      'route_to_team',
      'log_call',
    ]);
    expect(infos.filter(({ effect }) => effect === 'read').map(({ name }) => name)).toEqual([
      'lookup_customer_invoices',
      'get_caller_context',
      'search_help_center',
      'list_recent_conversations',
      'list_free_slots',
      'list_my_appointments',
      'get_case_status',
      'get_ticket_status',
    ]);
    expect(infos.every(({ slowMessage }) => slowMessage)).toBe(true);
  });

  test('take no address, path, method, header or query', async () => {
    const names = (await all()).tools().flatMap(({ parameters }) => Object.keys(parameters.properties));

    expect(names.filter((name) => /url|path|method$|header|query|endpoint|host/.test(name))).toEqual([]);
    expect(names).toContain('invoice_id');
  });
});
