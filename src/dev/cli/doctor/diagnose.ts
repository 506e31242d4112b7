import { InvalidArgumentError, StoreError } from '../../../core/errors.ts';
import { createIntegration, type Integration, type IntegrationOptions } from '../../../integration.ts';
import type { ApiName } from '../../testing/index.ts';
import type { Configuration } from '../configuration.ts';
import { checkApi } from './check-api.ts';
import { checkLimits } from './check-limits.ts';
import { checkIdempotencyStore, checkQueue, collectStoreWarnings } from './check-stores.ts';
import { fixOfArgument } from './advice.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { recordAnswers } from './recorder.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface DiagnoseOptions {
  /** The folder of the application and its packages. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Called with what is checked next. */
  readonly onStart: (about: string) => void;
  readonly onFinding: (finding: Finding) => void;
}

/** Looks at everything that the configuration names. Writes nothing, but for one key that is taken back. */
export const diagnose = async (
  configuration: Configuration,
  { cwd, signal, onStart, onFinding }: DiagnoseOptions,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  const add = (found: readonly Finding[]) => {
    for (const finding of found) {
      findings.push(finding);
      onFinding(finding);
    }
  };
  add(checkPackages(cwd));
  const options = await configuration.options();
  const recorder = recordAnswers(options);
  const made = makeIntegration(recorder.options);
  add(made.findings);
  if (made.integration) {
    await using integration = made.integration;
    for (const api of apis.filter((name) => options[name] !== undefined)) {
      onStart(api);
      add(await checkApi(api, { integration, options, recorder, signal }));
    }
  }
  add(checkLimits(options));
  onStart('stores');
  const { result, warnings } = await collectStoreWarnings(() => checkStores(configuration, options));
  add(result);
  add(
    warnings.map(({ code, message }) =>
      findingsAbout('store').warning(code, message, 'change the setting of the server'),
    ),
  );
  return findings;
};

const apis: readonly ApiName[] = ['messaging', 'crm', 'billing'];

const makeIntegration = (options: IntegrationOptions): Made => {
  const { ok, problem } = findingsAbout('configuration');
  try {
    return { integration: createIntegration(options), findings: [ok('options', 'the options are valid')] };
  } catch (error) {
    // A finding about the stores, below. The APIs can be checked all the same.
    if (error instanceof StoreError)
      return makeIntegration({ ...options, phoneCalls: undefined, finishLater: undefined });
    if (!(error instanceof InvalidArgumentError)) throw error;
    return {
      findings: error.problems.map((one) => problem('options', `${one.field} ${one.problem}`, fixOfArgument(one))),
    };
  }
};

interface Made {
  readonly integration?: Integration;
  readonly findings: readonly Finding[];
}

const checkStores = async (
  configuration: Configuration,
  { phoneCalls }: IntegrationOptions,
): Promise<readonly Finding[]> => {
  const store = phoneCalls?.tools?.store;
  const queue = await configuration.queue();
  try {
    return [...(store ? await checkIdempotencyStore(store) : []), ...(queue ? await checkQueue(queue) : [])];
  } finally {
    await queue?.close(0);
  }
};

/** Checks that the packages next to this one are new enough, by its own `peerDependencies`. None needs to be installed. */
export const checkPackages = (cwd: string): readonly Finding[] => {
  const { peerDependencies } = JSON.parse(readFileSync(ownManifest(), 'utf8')) as Manifest;
  const folders = createRequire(join(cwd, 'package.json')).resolve.paths('of-this-folder') ?? [];
  return Object.entries(peerDependencies).flatMap(([name, range]) => {
    const installed = versionIn(folders, name);
    const floor = range.replace('>=', '');
    if (installed === undefined || !isOlder(installed, floor)) return [];
    const message = `${name} ${installed} is installed, and ${floor} or newer is needed`;
    return [findingsAbout('packages').problem('version', message, `npm install ${name}@latest`)];
  });
};

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ownManifest = () => createRequire(import.meta.url).resolve('voice-agent-integrations/package.json');

/** Read as a file: most packages don't export their package.json. */
const versionIn = (folders: readonly string[], name: string): string | undefined => {
  for (const folder of folders) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string };
      return version;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
};

const isOlder = (version: string, floor: string): boolean => {
  const [parts, least] = [version, floor].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  const difference = [0, 1, 2].map((index) => (parts?.[index] ?? 0) - (least?.[index] ?? 0)).find((by) => by !== 0);
  return (difference ?? 0) < 0;
};
