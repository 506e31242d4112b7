/** `tools serve` with real clients of both generations. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const root = new URL('../../', import.meta.url);

/** A fake shop with one open invoice, and the command that serves its tools for a customer. */
const start = async () => {
  const folder = await makeScratchFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const { billing, listen, close } = createFakePlatform({});
  onTestFinished(close);
  billing.addCustomer({ id: 'cus_1', name: 'Ada Park', phone: '+14155550100' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 80, due_date: '2027-01-31' });
  const baseUrl = (await listen()).billing;
  const config = folder.file('voice-agent.config.mjs');
  await writeFile(
    config,
    `import { apiKey } from '${new URL('src/auth/index.ts', root)}';
export default {
  billing: { baseUrl: '${baseUrl}', authenticate: apiKey('X-Api-Key', () => '${testCredentials.billing}'), version: { path: 'v1' } },
  payments: { below: 500, card: () => 'pm_on_file' },
};`,
  );
  const main = ['--import', './scripts/from-source.js', 'src/dev/cli/main.ts', 'tools', 'serve'];
  return { billing, command: [...main, '--phone', '+14155550100', '--config', config] };
};

/** The command over HTTP. */
const serve = async (command: readonly string[]) => {
  const child = spawn(process.execPath, [...command, '--http', '--json'], {
    cwd: fileURLToPath(root),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGINT'));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(data.toString()));
    child.once('exit', () => reject(new Error('The command ended.')));
  });
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  return { url: new URL(url), requestInit: { headers: { authorization: `Bearer ${token}` } } };
};

const createNewClient = () => {
  const asked: string[] = [];
  const client = new Client(
    { name: 'desk', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: {} };
  });
  onTestFinished(() => client.close());
  return { client, asked };
};

const createOldClient = () => {
  const asked: string[] = [];
  const client = new OldClient({ name: 'desk', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: {} };
  });
  onTestFinished(() => client.close());
  return { client, asked };
};

const lookUp = { name: 'lookup_customer_invoices', arguments: {} };
const payment = { name: 'create_payment', arguments: { invoice_id: 'inv_1', amount: 80 } };

test('over HTTP, a host of each generation pays, and the invoice is paid once', async () => {
  const { billing, command } = await start();
  const { url, requestInit } = await serve(command);
  const [one, other] = [createNewClient(), createOldClient()];
  await one.client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  // Its getters don't fit the package's own interface under exactOptionalPropertyTypes.
  await other.client.connect(new OldTransport(url, { requestInit }) as Transport);

  const found = await one.client.callTool(lookUp);
  const paid = await one.client.callTool(payment);
  await other.client.callTool(lookUp);
  const again = await other.client.callTool(payment);

  expect(one.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(found.structuredContent).toMatchObject({ customer_name: 'Ada Park', total_outstanding: 80 });
  expect(paid.structuredContent).toMatchObject({ success: true });
  expect(again.structuredContent).toMatchObject({ success: true, already_paid: true });
  expect([one.asked, other.asked]).toEqual([['Shall I charge 80 to the card on file?'], []]);
  expect(billing.payments).toHaveLength(1);
});

test('over HTTP, a host of 2025 asks its user in its session', async () => {
  const { billing, command } = await start();
  const { url, requestInit } = await serve(command);
  const { client, asked } = createOldClient();
  await client.connect(new OldTransport(url, { requestInit }) as Transport);
  const progress: (string | undefined)[] = [];

  await client.callTool(lookUp);
  const paid = await client.callTool(payment, undefined, { onprogress: ({ message }) => progress.push(message) });

  expect(paid.structuredContent).toMatchObject({ success: true });
  expect(asked).toEqual(['Shall I charge 80 to the card on file?']);
  expect(progress).toContain('Waiting for an answer.');
  expect(billing.payments).toHaveLength(1);
});

test('on standard input and output, a host of 2026 pays after its user was asked', async () => {
  const { billing, command } = await start();
  const { client, asked } = createNewClient();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command],
    cwd: fileURLToPath(root),
    stderr: 'ignore',
  });
  await client.connect(transport);

  await client.callTool(lookUp);
  const paid = await client.callTool(payment);

  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(paid.structuredContent).toMatchObject({ success: true });
  expect(asked).toEqual(['Shall I charge 80 to the card on file?']);
  expect(billing.payments).toHaveLength(1);
});
