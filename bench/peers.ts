import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../test/support/run-command.ts';

/** What is used of the packages in `bench/peers`. */
export interface Peers {
  readonly octokitVerify: (secret: string, body: string, signature: string) => Promise<boolean>;
  readonly StandardWebhook: new (
    secret: string,
  ) => {
    readonly verify: (
      body: string,
      headers: Readonly<Record<string, string>>,
      options: { jsonParse: false },
    ) => unknown;
  };
}

export const peerNames = ['@octokit/webhooks-methods', 'standardwebhooks'] as const;

const folder = new URL('./peers/', import.meta.url);

/** The packages for the signatures, or why they are not available. */
export const loadPeers = async (): Promise<Peers | { readonly unavailable: string }> => {
  try {
    await installPeers();
    const octokit = await importFrom('@octokit/webhooks-methods/dist-node/index.js');
    const standard = await importFrom('standardwebhooks/dist/index.js');
    // The lock fixes the versions, and with them what their files export.
    return { octokitVerify: octokit.verify, StandardWebhook: standard.Webhook } as Peers;
  } catch (error) {
    const [firstLine = ''] = String(error).split('\n');
    return { unavailable: firstLine };
  }
};

/** Installs the packages of the lock unless they are there, since the project does without them. */
export const installPeers = async (): Promise<void> => {
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  await runCommand('npm', install, { cwd: fileURLToPath(folder), timeoutMs: 300_000 });
};

/** One of them, as `require` gives it. */
export const requirePeer = (name: string): unknown => createRequire(new URL('package.json', folder))(name);

const importFrom = async (file: string): Promise<Readonly<Record<string, unknown>>> =>
  import(new URL(`node_modules/${file}`, folder).href);

const changedAt = (file: string) => statSync(new URL(file, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
