import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IntegrationOptions } from '../../integration.ts';
import type { MessageQueue } from '../../stores/ports/message-queue.ts';
import type { CommandOption, Given } from './command.ts';
import { badConfiguration } from './command-error.ts';
import { optionsFromEnvironment } from './environment-options.ts';
import { secretsInEnvironment } from './secrets-in-environment.ts';
import type { Terminal } from './terminal.ts';

/** The application, as the commands know it. */
export interface Configuration {
  /** The file, or `the environment`. */
  readonly source: string;
  /** Throws `CommandError` when the file exports none. */
  readonly options: () => Promise<IntegrationOptions>;
  /** Opens the queue that the file exports; `undefined` when it exports none. */
  readonly queue: () => Promise<MessageQueue | undefined>;
}

/** For the commands that need one. */
export const configOption: Readonly<Record<'config', CommandOption>> = {
  config: {
    value: 'FILE',
    help: 'The configuration module (default: voice-agent.config.js, else the environment)',
  },
};

/** The names that are looked for, in this order. */
const configurationFiles = ['js', 'mjs', 'ts', 'mts'].map((ending) => `voice-agent.config.${ending}`);

/**
 * Reads the file that was named, the one in this folder, or the environment. From then on, secrets of the environment
 * are masked in everything that is printed. Throws `CommandError` when there is nothing, or nothing that can be used.
 */
export const loadConfiguration = async (given: Given, terminal: Terminal): Promise<Configuration> => {
  const configuration = await findConfiguration(given, terminal);
  if (configuration) return configuration;
  throw badConfiguration(
    'there is no configuration: no voice-agent.config.js in this folder, and no MESSAGING_BASE_URL, CRM_BASE_URL or BILLING_BASE_URL in the environment',
    'name a file with --config',
  );
};

/** Like {@link loadConfiguration}; `undefined` if there is nothing. */
export const findConfiguration = async (given: Given, terminal: Terminal): Promise<Configuration | undefined> => {
  terminal.hide(secretsInEnvironment(terminal.env));
  const named = given.text('config');
  const file = named ?? configurationFiles.find((name) => existsSync(resolve(terminal.cwd, name)));
  if (file !== undefined) return readModule(resolve(terminal.cwd, file), file);
  const options = optionsFromEnvironment(terminal.env);
  return options && { source: 'the environment', options: async () => options, queue: async () => undefined };
};

const readModule = async (path: string, source: string): Promise<Configuration> => {
  if (!existsSync(path)) throw badConfiguration(`${source} does not exist`);
  const module = await importModule(path, source);
  return {
    source,
    options: async () => withoutWork(asOptions(await valueOf(module['default'], source), source)),
    queue: async () => {
      const queue = await valueOf(module['queue'], source);
      if (queue === undefined) return undefined;
      if (hasMethod(queue, 'enqueue') && hasMethod(queue, 'consume')) return queue as MessageQueue;
      throw badConfiguration(
        `what ${source} exports as queue is no message queue`,
        'such as sqlite({ file }).messageQueue()',
      );
    },
  };
};

const importModule = async (path: string, source: string): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw badConfiguration(`${source} cannot be loaded: ${messageOf(error)}`, hintAbout(error), error);
  }
};

const hintAbout = (error: unknown): string | undefined => {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'Node reads TypeScript from 22.18 on; before, write it in JavaScript';
  const [, name] = /^Cannot find package '([^']+)'/.exec(messageOf(error)) ?? [];
  return code === 'ERR_MODULE_NOT_FOUND' && name !== undefined ? `npm install ${name}` : undefined;
};

/** Returns the export, or the result of an exported function. */
const valueOf = async (exported: unknown, source: string): Promise<unknown> => {
  if (typeof exported !== 'function') return exported;
  try {
    return await (exported as () => unknown)();
  } catch (error) {
    throw badConfiguration(`a function of ${source} failed: ${messageOf(error)}`, undefined, error);
  }
};

const asOptions = (value: unknown, source: string): IntegrationOptions => {
  if (hasMethod(value, 'startPhoneCall'))
    throw badConfiguration(`${source} exports an integration`, 'export the options that createIntegration is given');
  if (typeof value === 'object' && value !== null && apis.some((api) => api in value))
    return value as IntegrationOptions;
  throw badConfiguration(
    `${source} does not export the options of an integration`,
    'export default { messaging, crm, billing }, at least one of them',
  );
};

/** A command looks at the application's queue, or stores in it. The application writes the calls. */
const withoutWork = (options: IntegrationOptions): IntegrationOptions => {
  const { finishLater } = options;
  return finishLater?.queue ? { ...options, finishLater: { ...finishLater, work: false } } : options;
};

const apis = ['messaging', 'crm', 'billing'];

const hasMethod = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[name] === 'function';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
