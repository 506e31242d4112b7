import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeStarter } from '../../src/dev/cli/create/write-starter.ts';
import type { Block } from './page-blocks.ts';
import { makeScratchFolder } from './scratch-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const recipes = join(root, 'examples/recipes');
const recipeFiles = readdirSync(recipes);
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

/** A block of TypeScript in a page of the documentation. */
export interface Snippet extends Omit<Block, 'language'> {
  readonly page: string;
}

/**
 * Type-checks all snippets against the source, together. Each is a module of its own in a folder of its own, next to the
 * files that the snippets before it have named, on its page and on the index of its folder, and to the recipes. Gives each problem as `page:line: message`.
 */
export const checkSnippets = async (snippets: readonly Snippet[]): Promise<readonly string[]> => {
  await using folder = await makeScratchFolder();
  const write = async (file: string, text: string) => {
    await mkdir(dirname(folder.file(file)), { recursive: true });
    await writeFile(folder.file(file), text);
  };
  await symlink(join(root, 'node_modules'), folder.file('node_modules'));
  await write(
    'tsconfig.json',
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['**/*.ts'], exclude: [] }),
  );
  await write('package.json', '{ "type": "module" }');
  await write('preamble.ts', preamble);
  await write('packages.d.ts', packages);
  for (const [index, snippet] of snippets.entries()) {
    if (snippet.page.startsWith('docs/web-frameworks/'))
      await writeStarter(folder.file(`${index}`), 'my-agent', starter);
    const pages = [snippet.page, `${dirname(snippet.page)}/README.md`];
    const earlier = snippets.slice(0, index).filter(({ page, file }) => pages.includes(page) && file);
    for (const each of [...earlier, snippet])
      await write(join(`${index}`, fileName(each)), `${each.code}\nexport {};\n`);
    for (const recipe of recipesOf(snippet))
      await copyFile(join(recipes, recipe), folder.file(join(`${index}`, recipe)));
  }

  const printed = await typeCheck(folder.path);

  return printed.split('\n').flatMap((line) => {
    if (!/\berror TS\d+: /.test(line)) return [];
    const [, index = '', file, row, message] = /^(\d+)\/(.+)\((\d+),\d+\): error TS\d+: (.+)$/.exec(line) ?? [];
    const snippet = snippets[Number(index)];
    if (!snippet || index === '') return [line];
    return file === fileName(snippet) ? [`${snippet.page}:${snippet.line + Number(row) - 1}: ${message}`] : [];
  });
};

/** Returns every recipe if a snippet imports one, since a recipe may import another. */
const recipesOf = ({ code }: Snippet): readonly string[] =>
  recipeFiles.some((file) => code.includes(`'./${file}'`)) ? recipeFiles : [];

/** The starter that `create` writes without options: the guides change it. */
const starter = { framework: 'express', model: 'openai', messaging: 'default', crm: 'default', billing: 'default' };

/** Returns the output of the compiler, problems or not. */
const typeCheck = (folder: string): Promise<string> =>
  promisify(execFile)(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string }) => {
      if (!error.stdout) throw error;
      return error.stdout;
    },
  );

const fileName = ({ file = 'snippet.ts' }: Snippet): string => file;

/** The names that snippets may use without an import. A snippet that declares such a name itself hides it. */
const preamble = `
import type { Integration, IntegrationOptions, Logger, Metrics, PhoneCall, UnfinishedCall } from 'voice-agent-integrations';
import type { BillingClient, NewPayment } from 'voice-agent-integrations/billing';

import type { CrmClient } from 'voice-agent-integrations/crm';
import type { MessagingClient } from 'voice-agent-integrations/messaging';
import type { Outbox, OutboxOptions } from 'voice-agent-integrations/outbox';
import type { McpClient } from 'voice-agent-integrations/tools/mcp';
import type { WebhookReceiver } from 'voice-agent-integrations/webhooks';

declare global {
  const integration: Integration;
  const phoneCall: PhoneCall;
  const tools: PhoneCall['tools'];
  const messaging: MessagingClient;
  const crm: CrmClient;
  const billing: BillingClient;
  const payment: NewPayment;
  /** The systems to connect. */
  const systems: IntegrationOptions;
  const outbox: Outbox;
  const receive: WebhookReceiver;
  const queue: OutboxOptions['queue'];
  /** A queue of an engine of the application's. */
  const openQueue: (name: string) => Promise<OutboxOptions['queue']>;
  const destinations: OutboxOptions['destinations'];
  const logger: Logger;
  const metrics: Metrics;
  /** The secret store of the application. */
  const secrets: { read(name: string): Promise<string> };
  /** Stores what another process will take up. */
  const keepForLater: (unfinished: UnfinishedCall) => Promise<void>;
  /** The test environment of a billing API. */
  const testBilling: {
    openInvoice(): { id: string; amount: number };
    countPayments(invoiceId: string): Promise<number>;
  };
  const baseUrl: string;
  const callId: string;
  const conversationId: string;
  const customerId: string;
  const phone: string;
  const email: string;
  const summary: string;
  const transcript: string;
  const hungUp: AbortSignal;
  /** To a realtime model. */
  const socket: WebSocket;
  /** Connected to an MCP server. */
  const client: McpClient;
  const channel: { send(text: string): void; on(event: 'message', listener: (text: string) => void): void };
  /** The telephony of the application. */
  const telephony: { transfer(callId: string, to: string | undefined): Promise<boolean> };
}
`;

/** The types of packages that aren't installed here, as far as pages use them. */
const packages = `
declare module '@modelcontextprotocol/server' {
  export class McpServer {
    constructor(info: { name: string; version: string });
    readonly server: {
      registerCapabilities(capabilities: { tools: object }): void;
      setRequestHandler(method: never, handler: never): void;
      getClientCapabilities(): undefined;
      elicitInput(question: object, options: object): Promise<{ action: string }>;
    };
  }
  export const createMcpHandler: (create: (context: { requestInfo?: Request }) => McpServer) => {
    fetch(request: Request): Promise<Response>;
  };
}
declare module '@aws-sdk/client-bedrock-runtime' {
  type Chunks = AsyncIterable<{ chunk?: { bytes?: Uint8Array } }>;
  export class InvokeModelWithBidirectionalStreamCommand {
    constructor(input: { modelId: string; body: Chunks });
  }
  export class BedrockRuntimeClient {
    constructor(options: { region: string });
    send(command: InvokeModelWithBidirectionalStreamCommand): Promise<{ body: Chunks | undefined }>;
  }
}
declare module '@restatedev/restate-sdk' {
  export interface Context {
    run<Result>(name: string, work: () => Promise<Result>, options?: { maxRetryAttempts: number }): Promise<Result>;
    sleep(ms: number): Promise<void>;
  }
  export class TerminalError extends Error {}
  interface Service { name: string; handlers: Record<string, (context: Context, input: never) => Promise<unknown>> }
  export const service: (service: Service) => Service;
  export const serve: (options: { services: Service[]; port: number }) => Promise<number>;
}
declare module 'inngest' {
  interface Trigger<Data> { name: string; data?: Data }
  interface Run<Data> { event: { data: Data }; step: { run(id: string, work: () => Promise<unknown>): Promise<unknown> } }
  export const staticSchema: <Data>() => { data?: Data };
  export const eventType: <Data>(name: string, options: { schema: { data?: Data } }) => Trigger<Data>;
  export class Inngest {
    constructor(options: { id: string });
    send(event: { id: string; name: string; data: object }): Promise<unknown>;
    createFunction<Data>(options: { id: string; triggers: Trigger<Data>[] }, handle: (run: Run<Data>) => unknown): unknown;
  }
}
declare module '@aws-sdk/client-sqs' {
  export interface Message { ReceiptHandle?: string; Body?: string; Attributes?: Record<string, string> }
  type Received = { QueueUrl: string; ReceiptHandle: string | undefined };
  export class SQS {
    constructor(options: object);
    sendMessage(input: { QueueUrl: string; MessageBody: string }): Promise<unknown>;
    sendMessageBatch(input: { QueueUrl: string; Entries: object[] }): Promise<{ Failed?: object[] }>;
    receiveMessage(input: object, options: { abortSignal: AbortSignal }): Promise<{ Messages?: Message[] }>;
    changeMessageVisibility(input: Received & { VisibilityTimeout: number }): Promise<unknown>;
    deleteMessage(input: Received): Promise<unknown>;
  }
}
declare module '@temporalio/workflow' {
  export const proxyActivities: <Activities>(options: { startToCloseTimeout: string }) => Activities;
}
declare module '@temporalio/client' {
  export interface Client {
    workflow: {
      start<Args extends unknown[]>(
        workflow: (...args: Args) => Promise<unknown>,
        options: { workflowId: string; workflowIdConflictPolicy: 'USE_EXISTING'; taskQueue: string; args: Args },
      ): Promise<unknown>;
    };
  }
}
`;
