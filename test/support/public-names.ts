import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The names that users can write, by kind: the members of `Names` below. */
export const publicNames = (): ReadonlyMap<string, readonly string[]> => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const file = join(root, 'catalogue.ts');
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => path === file || fileExists.call(host, path);
  host.readFile = (path) => (path === file ? catalogue : readFile.call(host, path));
  return namesIn(ts.createProgram([file], options, host), file);
};

/** The members of each union in the catalogue. */
const namesIn = (program: ts.Program, catalogueFile: string): ReadonlyMap<string, readonly string[]> => {
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

/** Returns the names that users can write, read from the types, so that nothing new stays undocumented. */
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
    : T[Name] extends boolean
      ? never
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
