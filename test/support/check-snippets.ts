import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Block } from './page-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A block of TypeScript in a page of the documentation. */
export interface Snippet extends Omit<Block, 'language'> {
  readonly page: string;
}

export interface Checked {
  /** `page:line: message` */
  readonly problems: readonly string[];
  /** What users can name, by kind: the members of `Names` in the catalogue below. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/**
 * Type-checks all snippets against the source, in one program. Each is a module of its own in a folder of its own, next to
 * the files that the snippets before it on the page have named.
 * Reads from the same program what users can name.
 */
export const checkSnippets = (snippets: readonly Snippet[]): Checked => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const preambleFile = join(root, 'snippet-preamble.ts');
  const catalogueFile = join(root, 'snippet-catalogue.ts');
  const files = new Map(snippets.map((snippet, index) => [join(folderOf(index), fileName(snippet)), snippet]));
  const folders = new Set(snippets.map((_, index) => folderOf(index)));
  const neighbours = new Map(
    snippets.flatMap(({ page }, index) =>
      snippets
        .slice(0, index)
        .flatMap((earlier) => (earlier.page === page && earlier.file ? [earlier] : []))
        .map((earlier) => [join(folderOf(index), fileName(earlier)), earlier] as const),
    ),
  );
  const host = ts.createCompilerHost(options);
  const { directoryExists, fileExists, readFile } = host;
  const virtual = (file: string) => {
    if (file === preambleFile) return preamble;
    if (file === catalogueFile) return catalogue;
    const snippet = files.get(file) ?? neighbours.get(file);
    return snippet && `${snippet.code}\nexport {};\n`;
  };
  host.directoryExists = (folder) => folders.has(folder) || directoryExists?.call(host, folder) !== false;
  host.fileExists = (file) => virtual(file) !== undefined || fileExists.call(host, file);
  host.readFile = (file) => virtual(file) ?? readFile.call(host, file);
  host.getSourceFile = (file, languageVersion) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, languageVersion, true);
  };
  const program = ts.createProgram([preambleFile, catalogueFile, ...files.keys()], options, host);

  const problems = [preambleFile, catalogueFile, ...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    const { page, line } = files.get(file) ?? { page: relative(root, file), line: 1 };
    return found.map(({ start = 0, messageText }) => {
      const at = line + (source?.getLineAndCharacterOfPosition(start).line ?? 0);
      return `${page}:${at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
  return { problems, names: namesIn(program, catalogueFile) };
};

/** Is not there on the disk. */
const folderOf = (index: number): string => join(root, `snippet-${index}`);

const fileName = ({ file = 'snippet.ts' }: Snippet): string => file;

/** The members of each union in the catalogue. */
const namesIn = (program: ts.Program, catalogueFile: string): Checked['names'] => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(catalogueFile);
  const module = source && checker.getSymbolAtLocation(source);
  const [names] = module ? checker.getExportsOfModule(module) : [];
  if (!names) throw new Error('the catalogue exports nothing');
  const kinds = checker.getDeclaredTypeOfSymbol(names).getProperties();
  return new Map(
    kinds.map((kind) => {
      const type = checker.getTypeOfSymbol(kind);
      const members = type.isUnion() ? type.types : [type];
      return [kind.name, members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []))];
    }),
  );
};

/** What snippets may use without saying where it comes from. A snippet that declares such a name itself hides it. */
const preamble = `
import type { Integration, IntegrationOptions, Logger, Metrics, PhoneCall, UnfinishedCall } from 'voice-agent-integrations';
import type { BillingClient, NewPayment } from 'voice-agent-integrations/billing';

import type { CrmClient } from 'voice-agent-integrations/crm';
import type { MessagingClient } from 'voice-agent-integrations/messaging';
import type { Outbox, OutboxOptions } from 'voice-agent-integrations/outbox';

declare global {
  const integration: Integration;
  const phoneCall: PhoneCall;
  const messaging: MessagingClient;
  const crm: CrmClient;
  const billing: BillingClient;
  const payment: NewPayment;
  /** Which systems to connect. */
  const systems: IntegrationOptions;
  const outbox: Outbox;
  const queue: OutboxOptions['queue'];
  const destinations: OutboxOptions['destinations'];
  const logger: Logger;
  const metrics: Metrics;
  /** The secret store of the application. */
  const secrets: { read(name: string): Promise<string> };
  /** Stores what another process will take up. */
  const keepForLater: (unfinished: UnfinishedCall) => Promise<void>;
  /** The test environment of a billing API. */
  const testBilling: {
    openInvoice(): Promise<{ id: string; amount: number }>;
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
}
`;

/** What users can name: read from the types, so that nothing new stays undocumented. */
const catalogue = `
import type * as all from 'voice-agent-integrations';
import type { BillingClient } from 'voice-agent-integrations/billing';
import type { CrmClient } from 'voice-agent-integrations/crm';
import type { MessagingClient } from 'voice-agent-integrations/messaging';

type ErrorClass = { readonly code: string; new (...args: never): all.IntegrationError };
type ErrorClasses = { [Name in keyof typeof all]: (typeof all)[Name] extends ErrorClass ? (typeof all)[Name] : never };
type Fields<T> = T extends unknown ? Exclude<keyof T, keyof Error | 'toJSON'> : never;
type Operations<T> = {
  [Name in keyof T & string]: T[Name] extends (...args: never) => unknown
    ? Name
    : Operations<T[Name]> extends infer Below extends string
      ? \`\${Name}.\${Below}\`
      : never;
}[keyof T & string];

export interface Names {
  connectionOptions: keyof all.ConnectionOptions;
  requestOptions: keyof all.RequestOptions;
  operations: Extract<Operations<MessagingClient> | Operations<CrmClient> | Operations<BillingClient>, \`\${string}.\${string}\`>;
  eventTypes: all.IntegrationEvent['type'];
  errorCodes: InstanceType<ErrorClasses[keyof ErrorClasses]>['code'];
  errorFields: Extract<Fields<InstanceType<ErrorClasses[keyof ErrorClasses]>>, string>;
  exhaustedReasons: all.RetriesExhaustedError['reason'];
}
`;
