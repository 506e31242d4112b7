import { InvalidArgumentError, StoreError } from '../../../core/errors.ts';
import { connect, type IntegrationOptions } from '../../../integration.ts';
import { fixOfArgument } from '../../../phone-call/check/advice.ts';
import { checkApi, presetOf } from '../../../phone-call/check/check-apis.ts';
import { clockFindings, type ClockSkew } from '../../../phone-call/check/clock.ts';
import { checkLimits } from '../../../phone-call/check/check-limits.ts';
import { checkKept, checkQueue } from '../../../phone-call/check/check-stores.ts';
import { type Checked, findingsAbout } from '../../../phone-call/check/findings.ts';
import { partsToCheck, type PartsToCheck } from '../../../phone-call/check/parts.ts';
import { storesOf } from '../../../phone-call/stores.ts';
import type { Configuration } from '../configuration.ts';
import { platforms } from '../platforms/platforms.ts';
import { endWarnings } from './check-ends.ts';
import { collectStoreWarnings } from './store-warnings.ts';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface DiagnoseOptions {
  /** The folder of the application and its packages. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Called with what is checked next. */
  readonly onStart: (about: string) => void;
  readonly onFinding: (finding: Checked) => void;
}

/** Looks at everything that the configuration names. Writes nothing, but for one key that is taken back. */
export const diagnose = async (
  configuration: Configuration,
  { cwd, signal, onStart, onFinding }: DiagnoseOptions,
): Promise<readonly Checked[]> => {
  const findings: Checked[] = [];
  const add = (found: readonly Checked[]) => {
    for (const finding of found) {
      findings.push(finding);
      onFinding(finding);
    }
  };
  add(checkPackages(cwd));
  const options = await configuration.options();
  const { findings: tried, parts } = await tryOptions(options);
  add(tried);
  const skews: ClockSkew[] = [];
  for (const api of apis.filter((name) => parts?.[name] !== undefined)) {
    onStart(api);
    const seen = await checkApi(api, { ...parts }, { signal, add: (...found) => add(found) });
    skews.push(seen);
    const preset = presetOf(api, { ...parts });
    if (preset) add(endWarnings(api, { platform: platforms[preset], sent: seen.sent }));
  }
  add(clockFindings(skews));
  add(checkLimits({ ...options, payments: options.payments, stores: options }));
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

const apis = ['messaging', 'crm', 'billing'] as const;

/** Makes an integration of the options, and closes it. */
const tryOptions = async (
  options: IntegrationOptions,
): Promise<{ readonly findings: readonly Checked[]; readonly parts?: PartsToCheck }> => {
  const { ok, problem } = findingsAbout('configuration');
  try {
    await using integration = connect(options);
    return { findings: [ok('options', 'the options are valid')], parts: integration[partsToCheck] };
  } catch (error) {
    // A finding about the stores, below. The APIs can be checked all the same.
    if (error instanceof StoreError) return tryOptions({ ...options, store: undefined, finishLater: undefined });
    if (!(error instanceof InvalidArgumentError)) throw error;
    return {
      findings: error.problems.map((one) => problem('options', `${one.field} ${one.problem}`, fixOfArgument(one))),
    };
  }
};

const checkStores = async (
  configuration: Configuration,
  { store, finishLater }: IntegrationOptions,
): Promise<readonly Checked[]> => {
  const queue = await configuration.queue();
  try {
    const kept = await Promise.all(storesOf({ store, finishLater }).map(checkKept));
    return [...kept.flat(), ...(queue ? await checkQueue(queue) : [])];
  } finally {
    await queue?.close(0);
  }
};

/** Checks that the packages next to this one are new enough, by its own `peerDependencies`. None needs to be installed. */
export const checkPackages = (cwd: string): readonly Checked[] => {
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
