import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { startCli } from '../../support/cli-process.ts';
import { runCli } from '../../support/run-cli.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

const root = new URL('../../../', import.meta.url);
const main = fileURLToPath(new URL('dist/dev/cli/main.js', root));
const phone = '+14155550100';

const platform = createFakePlatform({});
let config: string;
const folder = await makeScratchFolder();

beforeAll(async () => {
  platform.billing.addCustomer({ id: 'cus_1', name: 'Ada Park', phone });
  platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5, due_date: '2027-01-31' });
  platform.billing.addInvoice({ id: 'inv_2', customer_id: 'cus_1', amount: 80, due_date: '2027-01-31' });
  const { billing } = await platform.listen();
  config = join(folder.path, 'voice-agent.config.mjs');
  await writeFile(
    config,
    `import { apiKey } from '${new URL('dist/auth/index.js', root)}';
export default {
  billing: { baseUrl: '${billing}', authenticate: apiKey('X-Api-Key', () => '${testCredentials.billing}'), version: { path: 'v1' } },
  payments: { below: 500, card: () => 'pm_on_file' },
};`,
  );
});
afterAll(async () => {
  await platform.close();
  await folder[Symbol.asyncDispose]();
});

const ways = [
  'console.log',
  'console.info',
  'console.debug',
  'console.dir',
  'console.table',
  'stdout.write',
  'writeSync',
  'writeFileSync',
  'appendFileSync',
];

/** The same application, which prints in every way, when it's loaded and later. */
const printing = async () => {
  const file = join(folder.path, 'printing.config.mjs');
  await writeFile(
    file,
    `import fs, { writeSync } from 'node:fs';
import options from './voice-agent.config.mjs';
const printAll = (place) => {
  console.log('console.log ' + place);
  console.info('console.info ' + place);
  console.debug('console.debug ' + place);
  console.dir('console.dir ' + place);
  console.table(['console.table ' + place]);
  process.stdout.write('stdout.write ' + place + '\\n');
  writeSync(1, 'writeSync ' + place + '\\n');
  fs.writeFileSync(1, 'writeFileSync ' + place + '\\n');
  fs.appendFileSync(1, 'appendFileSync ' + place + '\\n');
  fs.write(1, Buffer.from('write ' + place + '\\n'), () => {});
};
printAll('import');
export default () => {
  printAll('options');
  return { ...options, onEvent: () => printAll('event') };
};`,
  );
  return file;
};

/** A host that asks its user, who says yes. */
const createHost = () => {
  const asked: string[] = [];
  const host = new Client({ name: 'desk', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  host.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: {} };
  });
  onTestFinished(() => host.close());
  return { host, asked };
};

const paymentsOf = (id: string) => platform.billing.payments.filter(({ invoice_id }) => invoice_id === id);

const call = async (host: Client, name: string, args: Record<string, unknown>) =>
  (await host.callTool({ name, arguments: args })).structuredContent;

/** Looks up what is owed and pays one invoice. */
const pay = async (host: Client, invoice_id: string, amount: number) => {
  const invoices = await call(host, 'lookup_customer_invoices', {});
  return { invoices, paid: await call(host, 'create_payment', { invoice_id, amount }) };
};

describe('tools serve', () => {
  test('pays once for the customer, after the host on standard input and output has asked its user', async () => {
    const { host, asked } = createHost();
    const serve = ['tools', 'serve', '--phone', phone, '--call-id', 'CA1', '--config', config];
    const args = [main, ...serve];
    await host.connect(new StdioClientTransport({ command: execPath, args, stderr: 'ignore' }));

    const { invoices, paid } = await pay(host, 'inv_1', 120.5);

    expect(invoices).toMatchObject({ customer_name: 'Ada Park', total_outstanding: 200.5 });
    expect(asked).toEqual(['Shall I charge 120.50 to the card on file?']);
    expect(paid).toMatchObject({ success: true });
    expect(paymentsOf('inv_1')).toHaveLength(1);
  });

  test('keeps the standard output for the protocol, whatever the application prints', async () => {
    const { host, asked } = createHost();
    const broken: Error[] = [];
    Object.assign(host, { onerror: (error: Error) => broken.push(error) });
    const args = [main, 'tools', 'serve', '--phone', phone, '--config', await printing()];
    const transport = new StdioClientTransport({ command: execPath, args, stderr: 'pipe' });
    let noted = '';
    transport.stderr?.on('data', (text: Buffer) => (noted += text.toString()));
    await host.connect(transport);

    const invoices = await call(host, 'lookup_customer_invoices', {});
    await host.close();

    expect(invoices).toMatchObject({ customer_name: 'Ada Park' });
    expect([broken, asked]).toEqual([[], []]);
    for (const place of ['import', 'options', 'event']) {
      for (const way of ways) expect(noted).toContain(`${way} ${place}`);
    }
  });

  test.each([
    ['tools', 'print', '--target', 'openai-chat', '--json'],
    ['doctor', '--json'],
  ])('%s %s: what the application prints is no part of the JSON', async (...words) => {
    await using command = startCli([...words, '--config', await printing()]);

    const { printed, noted } = await command.end;

    expect(() => JSON.parse(printed)).not.toThrow();
    expect(printed).not.toMatch(/(?:import|options|event)$/m);
    expect(noted).toContain('console.log import');
  });

  test('the address over HTTP is the first thing on the standard output', async () => {
    await using server = startCli(['tools', 'serve', '--http', '--json', '--config', await printing()]);
    await server.hasPrinted(/\n/);

    expect(JSON.parse(server.printed())).toEqual({ url: expect.any(String), token: expect.any(String) });
    server.interrupt();
    expect(await server.end).toMatchObject({ exitCode: 0, noted: expect.stringContaining('console.info options') });
  });

  test('serves several hosts over HTTP, each with a session of its own, and pays no invoice again', async () => {
    await using server = startCli(['tools', 'serve', '--phone', phone, '--http', '--json', '--config', config]);
    await server.hasPrinted(/\n/);
    const { url, token } = JSON.parse(server.printed()) as { url: string; token: string };
    const connect = async () => {
      const { host, asked } = createHost();
      const headers = { authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      // Its getters don't fit the package's own interface under exactOptionalPropertyTypes.
      await host.connect(transport as Transport);
      return { host, asked, transport };
    };
    const [one, other] = [await connect(), await connect()];

    const first = await pay(one.host, 'inv_2', 80);
    const second = await pay(other.host, 'inv_2', 80);

    expect(one.transport.sessionId).not.toBe(other.transport.sessionId);
    expect([one.asked, other.asked]).toEqual([['Shall I charge 80 to the card on file?'], []]);
    expect(first.paid).toMatchObject({ success: true });
    expect(second.paid).toMatchObject({ success: true, already_paid: true });
    expect(paymentsOf('inv_2')).toHaveLength(1);
  });

  test('answers nothing over HTTP without the token, to another site, or for a session that is over', async () => {
    await using server = startCli(['tools', 'serve', '--http', '--json', '--config', config]);
    await server.hasPrinted(/\n/);
    const { url, token } = JSON.parse(server.printed()) as { url: string; token: string };
    const json = { 'content-type': 'application/json' };
    const ping = '{ "jsonrpc": "2.0", "id": 1, "method": "ping" }';
    const statusOf = async (headers: Record<string, string>, query = '') =>
      (await fetch(`${url}${query}`, { method: 'POST', headers: { ...json, ...headers }, body: ping })).status;
    const authorization = `Bearer ${token}`;

    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization: 'Bearer wrong' })).toBe(401);
    expect((await fetch(`${url}?token=${token}`)).status).toBe(401);
    expect(await statusOf({ authorization, origin: 'https://example.com' })).toBe(403);
    expect(await statusOf({ authorization, 'mcp-session-id': 'over' })).toBe(404);
    server.interrupt();
    expect(await server.end).toMatchObject({ exitCode: 0 });
  });

  test.each([
    [['--phone', '4155550100'], 2, '--phone must be a number in E.164'],
    [['--port', '4020'], 2, '--port needs --http'],
    [['--http', '--port', '70000'], 2, '--port must be at most 65535'],
    [[], 3, 'there is no configuration'],
  ])('with %j it ends with %d: %s', async (words, exitCode, said) => {
    const typed = await runCli(['tools', 'serve', ...words]);

    expect(typed).toMatchObject({ exitCode, printed: '', noted: expect.stringContaining(said) });
  });
});
