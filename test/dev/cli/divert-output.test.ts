import { spawnSync } from 'node:child_process';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';

const source = (file: string) => JSON.stringify(new URL(`../../../src/dev/cli/${file}`, import.meta.url));

/** A program that prints in its own way, and then what the protocol sends. */
const printed = (application: string) => {
  const code = `
    import { createTerminal } from ${source('terminal.ts')};
    import { divertOutput } from ${source('divert-output.ts')};
    const terminal = createTerminal(process);
    divertOutput(process);
    const fs = await import('node:fs');
    const { Readable } = await import('node:stream');
    const { pipeline } = await import('node:stream/promises');
    ${application};
    await new Promise((resolve) => setTimeout(resolve, 20));
    terminal.output.write('protocol\\n');
    terminal.print('result');
    await terminal.flush();
    process.exit();`;
  const { stdout, stderr } = spawnSync(execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  return { stdout, stderr };
};

test.each([`process.stdout.end('said')`, `await pipeline(Readable.from(['said']), process.stdout)`])(
  '%s ends nothing of ours',
  (application) => {
    expect(printed(application).stdout).toBe('protocol\nresult\n');
  },
);

test.each([
  `process.stdout.write('said')`,
  `Object.getPrototypeOf(process.stdout).write.call(process.stdout, 'said')`,
  `new console.Console(process.stdout).table(['said'])`,
  `fs.writeSync(1, 'said')`,
  `fs.writeFileSync(1, 'said')`,
  `fs.appendFileSync(1, 'said')`,
  `fs.writeFile(1, 'said', () => {})`,
  `fs.createWriteStream(null, { fd: 1, autoClose: false }).write('said')`,
  `process.on('exit', () => console.log('said'))`,
])('%s goes to the error output, and the protocol goes on', (application) => {
  const { stdout, stderr } = printed(application);

  expect(stdout).toBe('protocol\nresult\n');
  expect(stderr).toContain('said');
});
