import { describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';

const connect = async () => {
  const platform = createFakePlatform({ crm: 'hubspot' });
  const { crm: baseUrl } = await platform.listen();
  const crm = createCrmClient({ ...hubspot(), baseUrl, authenticate: bearer(() => testCredentials.crm) });
  return {
    platform,
    crm,
    account: platform.hubspot,
    [Symbol.asyncDispose]: async () => {
      await crm.close();
      await platform.close();
    },
  };
};

const notThere = { code: 'OBJECT_NOT_FOUND', message: 'resource not found' };

describe('a batch', () => {
  test('makes records, and says which were refused and why', async () => {
    await using org = await connect();
    const { crm, account } = org;
    const known = account.add('contacts', { email: 'ada@example.com' });

    const items = await crm.batch.create('Contact', [
      { LastName: 'Lee' },
      { LastName: 'Lovelace', Email: 'ADA@example.com' },
      { LastName: 'Lee', MailingCity: 'Turin' },
      { LastName: 'Okafor', favourite_bread: 'rye' },
    ]);

    const [, lee, leeOfTurin, ...others] = account.records('contacts');
    expect([lee?.properties['city'], leeOfTurin?.properties['city'], others]).toEqual([undefined, 'Turin', []]);
    expect(items).toEqual([
      { status: 'done', record: { id: lee?.id } },
      {
        status: 'failed',
        problems: [{ code: 'CONFLICT', message: `Contact already exists. Existing ID: ${known.id}`, ids: [known.id] }],
      },
      { status: 'done', record: { id: leeOfTurin?.id } },
      {
        status: 'failed',
        problems: [
          {
            code: 'PROPERTY_DOESNT_EXIST',
            message: 'Property "favourite_bread" does not exist',
            fields: ['favourite_bread'],
          },
          { code: 'PROPERTY_DOESNT_EXIST', message: expect.any(String), fields: ['favourite_bread'] },
          { code: 'VALIDATION_ERROR', message: expect.any(String) },
        ],
      },
    ]);
  });

  test('associates what it makes', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { email: 'ada@example.com' });

    await org.crm.batch.create('notes', [{ hs_note_body: 'Rang.', WhoId: id }]);

    expect(org.account.records('notes')[0]?.associations).toEqual({ contacts: [id] });
  });

  test('changes records', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { email: 'ada@example.com' });

    const items = await org.crm.batch.update('Contact', [
      { id: '7', fields: { MailingCity: 'Rome' } },
      { id, fields: { MailingCity: 'Turin' } },
    ]);

    expect(items).toEqual([
      { status: 'failed', problems: [notThere] },
      { status: 'done', record: { id } },
    ]);
    expect(org.account.records('contacts')[0]?.properties['city']).toBe('Turin');
  });

  test('changes or makes records by their address', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { email: 'ada@example.com' });

    const items = await org.crm.batch.upsert('Contact', [
      { by: { field: 'Email', value: 'bob@example.com' }, fields: { LastName: 'Lee' } },
      { by: { field: 'Email', value: 'Ada@example.com' }, fields: { LastName: 'Lovelace' } },
      { by: { field: 'Email', value: 'no address' }, fields: { LastName: 'Lee' } },
    ]);

    const [ada, bob] = org.account.records('contacts');
    expect(items).toEqual([
      { status: 'done', record: { id: bob?.id, created: true } },
      { status: 'done', record: { id, created: false } },
      { status: 'failed', problems: expect.arrayContaining([expect.objectContaining({ code: 'INVALID_EMAIL' })]) },
    ]);
    expect([ada?.properties['lastname'], bob?.properties['lastname']]).toEqual(['Lovelace', 'Lee']);
  });

  test('leaves no field out of a change, and says which one was refused', async () => {
    await using org = await connect();
    const { id } = org.account.add('contacts', { email: 'ada@example.com' });
    const fields = { LastName: 'Lovelace', Department: 'Ovens' };
    const by = { field: 'Email', value: 'ada@example.com' };

    const items = [
      ...(await org.crm.batch.update('Contact', [{ id, fields }])),
      ...(await org.crm.batch.upsert('Contact', [{ by, fields }])),
    ];

    const problem = expect.objectContaining({ code: 'PROPERTY_DOESNT_EXIST', fields: ['Department'] });
    expect(items).toEqual(items.map(() => ({ status: 'failed', problems: expect.arrayContaining([problem]) })));
    expect(items).toHaveLength(2);
    expect(org.account.records('contacts')[0]?.properties).not.toHaveProperty('lastname');
  });

  test('reads records in your order', async () => {
    await using org = await connect();
    const [one, other] = ['Lee', 'Okafor'].map((lastname) => org.account.add('contacts', { lastname }));

    const items = await org.crm.batch.get('Contact', [other!.id, '7', one!.id], { fields: ['LastName'] });

    expect(items).toEqual([
      { status: 'done', record: expect.objectContaining({ Id: other!.id, LastName: 'Okafor' }) },
      { status: 'failed', problems: [notThere] },
      { status: 'done', record: expect.objectContaining({ Id: one!.id, LastName: 'Lee' }) },
    ]);
  });

  test('of which nothing could be done says so for each', async () => {
    await using org = await connect();

    expect(await org.crm.batch.update('Contact', [{ id: '7', fields: { LastName: 'Lee' } }])).toEqual([
      { status: 'failed', problems: [notThere] },
    ]);
    expect(await org.crm.batch.create('Contact', [{ nonsense: 'x' }])).toMatchObject([{ status: 'failed' }]);
  });

  test('that is refused as a whole is an error', async () => {
    await using org = await connect();
    org.platform.fault('crm.batch', [{ status: 403 }]);

    await expect(org.crm.batch.create('Contact', [{ LastName: 'Lee' }])).rejects.toMatchObject({
      code: 'client_error',
      status: 403,
      operation: 'crm.batch.create',
    });
  });

  test.each([200, 201, 207])(
    'of one record that is refused with a %i is a refusal, and nothing unknown',
    async (status) => {
      await using org = await connect();
      const refusal = { status: 'error', category: 'VALIDATION_ERROR', message: 'Email address x is invalid' };
      const body = { status: 'COMPLETE', results: [], numErrors: 1, errors: [refusal] };
      org.platform.fault('crm.contacts.update', [{ status, body }]);
      org.platform.fault('crm.associations.create', [{ status, body }]);

      const by = { field: 'Email', value: 'ada@example.com' };
      const { id } = await org.crm.tasks.create({ Subject: 'Call' });
      const ends = await Promise.allSettled([
        org.crm.contacts.upsert(by, { FirstName: 'Ada' }),
        org.crm.tasks.update(id, { WhoId: '7' }),
      ]);

      for (const end of ends)
        expect(end).toMatchObject({
          status: 'rejected',
          reason: { code: 'client_error', outcome: 'rejected', codes: ['VALIDATION_ERROR'] },
        });
    },
  );

  test.each<[name: string, body: object, items: unknown]>([
    [
      'by the numbers of the writes, where the records have them',
      {
        results: [
          { id: '12', objectWriteTraceId: '1' },
          { id: '11', objectWriteTraceId: '0' },
        ],
      },
      [
        { status: 'done', record: { id: '11' } },
        { status: 'done', record: { id: '12' } },
      ],
    ],
    [
      'as done without an id, where the numbers leave no doubt',
      {
        results: [{ id: '12', properties: {} }],
        errors: [{ category: 'LOCKED', context: { objectWriteTraceId: ['0'] } }],
      },
      [
        { status: 'failed', problems: [{ code: 'LOCKED' }] },
        { status: 'done', record: { id: undefined } },
      ],
    ],
    [
      'as unknown, where an error names none',
      { results: [{ id: '12', properties: {} }], errors: [{ category: 'LOCKED' }] },
      [{ status: 'unknown' }, { status: 'unknown' }],
    ],
  ])('is read %s', async (_name, body, items) => {
    await using org = await connect();
    org.platform.fault('crm.batch', [{ status: 207, body: { status: 'COMPLETE', ...body } }]);

    expect(await org.crm.batch.create('Contact', [{ LastName: 'Lee' }, { LastName: 'Okafor' }])).toEqual(items);
  });

  test('of new records is not sent again after an unknown end, and one of changes is', async () => {
    await using org = await connect();
    const { crm, account, platform } = org;
    const { id } = account.add('contacts', { lastname: 'Lee' });
    platform.fault('crm.batch', [{ executeThenDrop: true }, { executeThenDrop: true }]);

    await expect(crm.batch.create('Contact', [{ LastName: 'Okafor' }])).rejects.toMatchObject({ outcome: 'unknown' });
    expect(await crm.batch.update('Contact', [{ id, fields: { LastName: 'Li' } }])).toMatchObject([{ status: 'done' }]);

    expect(account.records('contacts').map(({ properties }) => properties['lastname'])).toEqual(['Li', 'Okafor']);
  });

  test.each<[name: string, call: (crm: Awaited<ReturnType<typeof connect>>['crm']) => Promise<unknown>, field: string]>(
    [
      ['no records', (crm) => crm.batch.create('Contact', []), 'records'],
      [
        'too many',
        (crm) =>
          crm.batch.get(
            'Contact',
            Array.from({ length: 101 }, () => '7'),
          ),
        'records',
      ],
      [
        'an id that is none',
        (crm) => crm.batch.update('Contact', [{ id: '', fields: { City: 'Turin' } }]),
        'records.0.id',
      ],
      ['a field that can’t be', (crm) => crm.batch.create('Contact', [{ Email: 'x' }]), 'records.0.Email'],
      [
        'an association in a change',
        (crm) => crm.batch.update('Contact', [{ id: '7', fields: { AccountId: '8' } }]),
        'AccountId',
      ],
      [
        'an association in an upsert',
        (crm) => crm.contacts.upsert({ field: 'Email', value: 'ada@example.com' }, { AccountId: '8' }),
        'AccountId',
      ],
      ['owners', (crm) => crm.batch.get('User', ['7']), 'records'],
    ],
  )('with %s is not sent', async (_name, call, field) => {
    await using org = await connect();

    await expect(call(org.crm)).rejects.toMatchObject({ code: 'invalid_argument', field });
    expect(org.platform.requests).toEqual([]);
  });

  test('is refused by an API that has none', async () => {
    await using crm = createCrmClient({
      baseUrl: 'https://crm.example',
      version: '60.0',
      authenticate: bearer(() => 'token'),
    });

    await expect(crm.batch.get('Lead', ['7'])).rejects.toMatchObject({
      code: 'invalid_argument',
      operation: 'crm.batch.get',
    });
  });
});
