import type { ApiConnection } from '../../api/api-client.ts';
import { IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import type { ConnectionOptions, CustomRequest } from '../../http/operation.ts';
import type { VersionWarningEvent } from '../../observability/events.ts';
import { connectionFinding, fixOfArgument, readFinding } from './advice.ts';
import { type Answers, recordAnswers } from './answers.ts';
import { type ClockSkew, clockSkewMs } from './clock.ts';
import { type Checked, findingsAbout } from './findings.ts';
import type { PresetName } from './presets.ts';
import type { Read } from './reads.ts';

/** The end of a check, and where its findings go. */
export interface CheckRun {
  readonly signal: AbortSignal;
  /** Gets findings as soon as they stand. */
  readonly add: (...findings: readonly Checked[]) => void;
}

/** The way to check the client of one API. */
export interface ClientCheck<Client extends ApiConnection, Options extends ConnectionOptions> {
  readonly api: string;
  readonly options: Options;
  readonly make: (options: Options) => Client;
  readonly reads: readonly Read<Client>[];
  readonly preset: PresetName | undefined;
  /** The version that is pinned, in words. */
  readonly version: string;
  /** Checks what only this API has. */
  readonly others?: (client: Client, signal: AbortSignal) => Promise<readonly Checked[]>;
}

/** The facts that requests and answers show besides the findings. */
export interface SeenOnTheWire extends ClockSkew {
  /** Each request as its authorization scheme and address. */
  readonly sent: readonly string[];
}

/**
 * Sends an API the requests that need no writing and no known person, over a client of its own. Stops at what the other
 * requests would meet too.
 */
export const checkClient = async <Client extends ApiConnection, Options extends ConnectionOptions>(
  check: ClientCheck<Client, Options>,
  { signal, add }: CheckRun,
): Promise<SeenOnTheWire> => {
  const { api, options, make, others } = check;
  const answers = recordAnswers(options);
  const made = makeClient(api, () => make(answers.options));
  add(...made.problems);
  const seen = () => ({ api, skewMs: clockSkewMs(answers.dated()), sent: answers.sent() });
  if (!made.client) return seen();
  await using client = made.client;
  const warmUp = await client.warmUp({ signal });
  if (signal.aborted) return seen();
  if (!warmUp.ready) {
    add(connectionFinding(api, warmUp.error));
    return seen();
  }
  const ended = await readAll(check, { client, answers, run: { signal, add } });
  if (others && ended === undefined) add(...(await others(client, signal)));
  if (ended !== 'version') add(...versionFindings(answers.versionWarnings()));
  return seen();
};

const makeClient = <Client>(
  api: string,
  make: () => Client,
): { readonly client?: Client; readonly problems: readonly Checked[] } => {
  try {
    return { client: make(), problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const { problem } = findingsAbout(api);
    return {
      problems: error.problems.map((one) => problem('options', `${one.field} ${one.problem}`, fixOfArgument(one))),
    };
  }
};

/** Reads each area. Returns the check that stopped it: the other reads would meet the same. */
const readAll = async <Client extends ApiConnection, Options extends ConnectionOptions>(
  { api, reads, preset, version }: ClientCheck<Client, Options>,
  { client, answers, run }: ReadParts<Client, Options>,
): Promise<string | undefined> => {
  const { signal } = run;
  const first = [findingsAbout(api).ok('reachable', 'the API is reachable, and a credential is there')];
  const add = (...findings: readonly Checked[]) => {
    if (findings.length > 0) run.add(...first.splice(0), ...findings);
  };
  const absent: Absent[] = [];
  const meant = reads.filter(({ only }) => !only || (preset && only.includes(preset)));
  for (const read of meant) {
    const open = findingsAbout(api).ok('permission', `${read.reads} can be read`);
    const answeredVersion = () => answers.versionWarnings().find(({ answered }) => answered)?.answered;
    const before = answers.sent().length;
    const finding = await read.run(client, { signal }).then(
      // A function of yours may answer without a request.
      () => (answers.sent().length > before ? open : undefined),
      (error: unknown) =>
        readFinding(read, error, { api, preset, version, answered: answeredVersion() }) ??
        (read.isOfNobody ? open : undefined),
    );
    if (signal.aborted) return 'aborted';
    const words = answers.absent();
    if (words !== undefined) absent.push({ finding, words, ...read });
    else if (finding) add(read.only ? asWarning(finding) : finding);
    add(...hiddenFields(api, read, answers.hidden(read.operation)));
    if (finding && endsReads.has(finding.check)) return finding.check;
  }
  const wordsOfNowhere = async () => {
    await client.request(nowhere, { signal }).catch(ignoreFailure);
    return answers.absent();
  };
  const judged = await judgeAbsent(absent, { isAll: absent.length === meant.length, wordsOfNowhere });
  if (judged) add(...judged);
  else
    run.add(
      findingsAbout(api).problem(
        'reachable',
        'the API answers 404 to everything',
        `compare ${api}.baseUrl and ${api}.version with the API's`,
      ),
    );
  return judged ? undefined : 'reachable';
};

interface ReadParts<Client, Options extends ConnectionOptions> {
  readonly client: Client;
  readonly answers: Answers<Options>;
  readonly run: CheckRun;
}

const endsReads: ReadonlySet<string> = new Set(['credential', 'version', 'reachable', 'quota', 'limit']);

/** Not every agent needs the area. */
const asWarning = (finding: Checked): Checked =>
  finding.check === 'permission' && finding.level === 'problem' ? { ...finding, level: 'warning' } : finding;

/** A read that was answered with a 404, in these words. */
interface Absent extends Pick<Read<never>, 'isOptional' | 'isOfNobody'> {
  readonly finding: Checked | undefined;
  readonly words: string;
}

/**
 * Returns the findings of reads that were answered with a 404; `undefined` if the address is wrong. A wrong address looks like
 * one without this record: both answer 404. An API that gives a path that can't exist the same answer as its own paths, or
 * the dialect's, knows none of them.
 */
const judgeAbsent = async (
  absent: readonly Absent[],
  { isAll, wordsOfNowhere }: { readonly isAll: boolean; readonly wordsOfNowhere: () => Promise<string | undefined> },
): Promise<readonly Checked[] | undefined> => {
  if (isAll && absent.some(({ finding }) => finding?.level === 'problem')) return undefined;
  const nowhereWords = absent.some(({ isOfNobody }) => isOfNobody) ? await wordsOfNowhere() : undefined;
  if (isAll && absent.every(({ words }) => words === nowhereWords)) return undefined;
  return absent.flatMap(({ finding, words, isOptional, isOfNobody }) => {
    const isThere = isOfNobody ? words !== nowhereWords : !isOptional;
    return finding && (isThere || finding.level !== 'ok') ? [finding] : [];
  });
};

const nowhere: CustomRequest<unknown> = {
  operation: 'check.address',
  method: 'GET',
  path: 'a-path-that-does-not-exist',
  returns: (json) => json,
};

const ignoreFailure = (error: unknown): void => {
  if (!(error instanceof IntegrationError)) throw error;
};

const hiddenFields = (api: string, { reads }: Pick<Read<never>, 'reads'>, fields: readonly string[]): Checked[] =>
  fields.length === 0
    ? []
    : [
        findingsAbout(api).warning(
          'permission',
          `${fields.join(', ')} of ${reads} can not be read, and searches go on without`,
          'Give the integration user read access to them, or leave them out of phoneFields.',
        ),
      ];

/** Returns the answers' warnings about the pinned version, each once. */
const versionFindings = (warnings: readonly VersionWarningEvent[]): readonly Checked[] => {
  const findings = warnings.flatMap(({ api, pinned, answered, deprecation, sunset }) => [
    ...(answered === undefined
      ? []
      : [warn(api, `version ${pinned} is pinned, and ${answered} answers`, 'pin a version that is offered')]),
    ...(sunset === undefined ? [] : [warn(api, `version ${pinned} ends: ${sunset}`, upgrade)]),
    ...(deprecation === undefined || sunset !== undefined
      ? []
      : [warn(api, `version ${pinned} is deprecated`, upgrade)]),
  ]);
  return findings.filter(({ message }, index) => findings.findIndex((other) => other.message === message) === index);
};

const warn = (api: string, message: string, fix: string): Checked =>
  findingsAbout(api).warning('version', message, fix);

const upgrade = 'try the next one on a test workspace with checkContract';
