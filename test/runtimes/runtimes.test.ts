import { cp, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { subpaths } from '../../scripts/subpaths.js';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { sign } from '../../src/webhooks/index.ts';
import { npmInstall, packPackage, readManifest } from '../support/pack-package.ts';
import { makeScratchFolder, type ScratchFolder } from '../support/scratch-folder.ts';
import type { Surroundings } from './programs/systems.ts';
import { runtimes } from './runtimes.ts';

const page = await readFile(new URL('../../docs/runtimes.md', import.meta.url), 'utf8');

/** The tables of the page: its rows by the name in their first cell, their words by the name of the runtime. */
const said = new Map(
  page
    .split(/\n\n/)
    .filter((block) => block.startsWith('| '))
    .flatMap((table) => {
      const [names = [], , ...rows] = table
        .trim()
        .split('\n')
        .map((row) => row.split('|').map((cell) => cell.trim()));
      return rows.flatMap((row) =>
        [...(row[1] ?? '').matchAll(/`([^`]+)`/g)].map(
          ([, name = '']) => [name, new Map(names.map((runtime, column) => [runtime, row[column]]))] as const,
        ),
      );
    }),
);

const isSaidToWork = (name: string, runtime: string) => said.get(name)?.get(runtime)?.startsWith('yes') ?? false;

let folder: ScratchFolder;
beforeAll(async () => {
  folder = await makeScratchFolder();
  const { devDependencies, peerDependencies } = await readManifest();
  await cp(fileURLToPath(new URL('programs', import.meta.url)), folder.file('programs'), { recursive: true });
  const allowScripts = { msw: false, 'msgpackr-extract': false };
  await writeFile(folder.file('package.json'), JSON.stringify({ private: true, type: 'module', allowScripts }));
  // No file imports the others: their users pass in what is needed.
  const imported = Object.keys(peerDependencies).filter((name) => devDependencies[name] !== undefined);
  const peers = imported.map((name) => `${name}@${devDependencies[name]}`);
  await npmInstall(folder.path, [await packPackage(folder.path), ...peers]);
});
afterAll(() => folder.remove());

const specifiers = subpaths.map(({ specifier }) => specifier);

test('the page has a row for every subpath and a column for every runtime', () => {
  const rows = [...said].filter(([name]) => name.startsWith('voice-agent-integrations'));

  expect(rows.map(([name]) => name).toSorted()).toEqual(specifiers.toSorted());
  expect(rows.filter(([, cells]) => runtimes.some(({ name }) => !cells.has(name)))).toEqual([]);
});

/** The programs, with what they give where they work. */
const expected = {
  'phone-call': {
    name: 'Ada',
    invoices: {
      customer_name: 'Ada',
      invoice_count: 1,
      total_outstanding: 120.5,
      today: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      invoices: [{ id: 'inv_7', amount: 120.5, due_date: '2030-01-31' }],
    },
    paid: { success: true, confirmation_number: 'CONF-1' },
    again: { success: true, confirmation_number: 'CONF-1', already_paid: true, message: expect.any(String) },
    wrong: 'ClientError',
    complete: true,
  },
  webhook: { statuses: [204, 204, 401], received: [{ type: 'payment.confirmed', amount: 42 }] },
  metrics: { counted: true },
  'file-store': { state: 'waiting', payload: { hello: 'queue' }, claim: 'new' },
  'fake-platform': { status: 200 },
};

describe.each(runtimes)('on $name', (runtime) => {
  test('those subpaths are imported that the page says', async () => {
    const refused = await runtime.refused(folder.path, specifiers);

    const toBeRefused = specifiers.filter((specifier) => !isSaidToWork(specifier, runtime.name));
    expect([...refused.keys()], [...refused].join('\n')).toEqual(toBeRefused);
  });

  test.each(Object.entries(expected))('$0 does what the page says', async (program, result) => {
    await using platform = createFakePlatform();
    const ended: unknown = await runtime.run(folder.path, program, await surroundingsOf(platform)).catch(String);

    const payments = platform.effects('billing.payments.create');
    const works = { ended: result, payments: program === 'phone-call' ? 1 : 0 };
    const reason = { ended: expect.stringContaining('Error'), payments: 0 };
    expect({ ended, payments }).toEqual(isSaidToWork(program, runtime.name) ? works : reason);
  });
});

const surroundingsOf = async (platform: ReturnType<typeof createFakePlatform>): Promise<Surroundings> => {
  platform.messaging.addContact({ name: 'Ada', phone: '+14155550100' });
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada', phone: '+14155550100' });
  platform.billing.addInvoice({ id: 'inv_7', customer_id: 'cus_1', amount: 120.5, due_date: '2030-01-31' });
  platform.fault('billing.payments.create', [{ status: 503 }, { executeThenDrop: true }]);
  const body = JSON.stringify({ type: 'payment.confirmed', amount: 42 });
  const signed = await sign(body, { secrets: () => 'shared-with-the-sender' });
  return { systems: await platform.listen(), delivery: { body, signature: signed['x-signature'] ?? '' } };
};
