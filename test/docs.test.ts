import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const pages = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: root })]
  .map((page) => page.replaceAll('\\', '/'))
  .toSorted();
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** What snippets may use without saying where it comes from. A snippet that declares such a name itself hides it. */
const preamble = `
import type { Integration } from 'voice-agent-integrations';
import type { BillingClient, NewPayment } from 'voice-agent-integrations/billing';
import type { FinishCallInput } from 'voice-agent-integrations/calls';
import type { CrmClient } from 'voice-agent-integrations/crm';
import type { MessagingClient } from 'voice-agent-integrations/messaging';

declare global {
  const integration: Integration;
  const messaging: MessagingClient;
  const crm: CrmClient;
  const billing: BillingClient;
  const payment: NewPayment;
  /** The secret store of the application. */
  const secrets: { read(name: string): Promise<string> };
  /** Stores what another process will take up. */
  const keepForLater: (unfinished: FinishCallInput) => Promise<void>;
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

interface Snippet {
  readonly page: string;
  /** Of its first line of code within the page. */
  readonly line: number;
  readonly code: string;
}

const snippetsOf = (page: string, markdown: string): readonly Snippet[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: code = '' }) => ({
    page,
    line: markdown.slice(0, index).split('\n').length + 1,
    code,
  }));

describe('the snippets in the documentation', () => {
  const wrong: Snippet = { page: 'wrong.md', line: 7, code: 'const id = 1;\nbilling.customers.get(id);\n' };
  let problems: readonly string[];

  beforeAll(() => {
    problems = problemsOf([...pages.flatMap((page) => snippetsOf(page, textOf(page))), wrong]);
  }, 60_000);

  test('compile against the source', () => {
    expect(problems.filter((problem) => !problem.startsWith(wrong.page))).toEqual([]);
  });

  test('would be found out if they did not', () => {
    expect(problems.filter((problem) => problem.startsWith(wrong.page))).toEqual([
      "wrong.md:8: Argument of type 'number' is not assignable to parameter of type 'string'.",
    ]);
  });
});

/** Type-checks all snippets in one program; each is a module of its own in the root of the repository. */
const problemsOf = (snippets: readonly Snippet[]): readonly string[] => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const preambleFile = join(root, 'snippet-preamble.ts');
  const files = new Map(snippets.map((snippet, index) => [join(root, `snippet-${index}.ts`), snippet]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  const virtual = (file: string) => {
    if (file === preambleFile) return preamble;
    const snippet = files.get(file);
    return snippet && `${snippet.code}\nexport {};\n`;
  };
  host.fileExists = (file) => virtual(file) !== undefined || fileExists.call(host, file);
  host.readFile = (file) => virtual(file) ?? readFile.call(host, file);
  host.getSourceFile = (file, languageVersion) => {
    const text = host.readFile(file);
    return text === undefined ? undefined : ts.createSourceFile(file, text, languageVersion, true);
  };
  const program = ts.createProgram([preambleFile, ...files.keys()], options, host);

  return [preambleFile, ...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    const { page, line } = files.get(file) ?? { page: 'the preamble', line: 1 };
    return found.map(({ start = 0, messageText }) => {
      const at = line + (source?.getLineAndCharacterOfPosition(start).line ?? 0);
      return `${page}:${at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
};

describe('the links in the documentation', () => {
  test.each(pages)('%s links only to what exists', (page) => {
    const broken = linksOf(textOf(page)).filter((link) => !leadsSomewhere(page, link));

    expect(broken).toEqual([]);
  });

  test('lead to every page and every decision', () => {
    const linked = new Set(
      pages.flatMap((page) => linksOf(textOf(page)).map((link) => join(dirname(page), link.split('#')[0] ?? ''))),
    );

    expect(pages.filter((page) => page !== 'README.md' && page !== 'CHANGELOG.md' && !linked.has(page))).toEqual([]);
  });

  test('would be found out if they did not', () => {
    const markdown = 'See [this](docs/errors.md), [that](docs/nowhere.md) and [there](docs/errors.md#nowhere).';

    expect(linksOf(markdown).filter((link) => !leadsSomewhere('README.md', link))).toEqual([
      'docs/nowhere.md',
      'docs/errors.md#nowhere',
    ]);
  });
});

/** The relative links; code is no prose. */
const linksOf = (markdown: string): readonly string[] =>
  [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

const leadsSomewhere = (page: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(textOf(target)).includes(anchor);
};

/** As GitHub makes them of headings. */
const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
