import { encode } from 'gpt-tokenizer';
import { describe, expect, test } from 'vitest';
import { targets } from '../../../src/dev/cli/tools/targets.ts';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../support/run-cli.ts';
import { toolsByJob } from '../../../src/tools/index.ts';
import { standardTools } from '../../support/tool-names.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Printed {
  readonly target: string;
  readonly tokens: number;
  readonly tokensBy: string;
  readonly characters: number;
  readonly definitions: unknown;
  readonly leftOut: readonly { readonly name: string; readonly needs: string }[];
}

/** Built in, for a configuration that says more than which clients there are. */
const toolsThatNeedMore = Object.values(toolsByJob)
  .flat()
  .filter((name) => !standardTools.includes(name));

describe('tools print', () => {
  test.each(Object.keys(targets))('gives %s every tool with its parameters', async (target) => {
    const { exitCode, printed } = await runCli(['tools', 'print', '--target', target, '--json']);

    expect(exitCode).toBe(0);
    const { definitions, characters, tokens, leftOut, ...rest } = JSON.parse(printed) as Printed;
    const text = JSON.stringify(definitions);
    expect(rest).toEqual({ target, tokensBy: 'estimate' });
    expect({ characters, tokens }).toEqual({ characters: text.length, tokens: Math.ceil(text.length / 3) });
    expect(standardTools.filter((name) => !text.includes(name))).toEqual([]);
    expect(leftOut.map(({ name }) => name)).toEqual(toolsThatNeedMore);
    expect(text).toContain('second_payment');
  });

  test('is what OpenAI Realtime gets, spread over lines, with its size on the error output', async () => {
    const { exitCode, printed, noted } = await runCli(['tools', 'print', '--target', 'openai-realtime']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(printed)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'function', name: 'create_payment', parameters: expect.any(Object) }),
      ]),
    );
    expect(printed.split('\n').length).toBeGreaterThan(50);
    expect(noted).toMatch(
      /^\d+ tokens \(estimated: install gpt-tokenizer to count them\), \d+ characters\nleft out: send_verification_code \(needs /,
    );
  });

  test('counts tokens where the project has a tokenizer', async () => {
    const { printed } = await runCli(['tools', 'print', '--target', 'openai-chat', '--json'], { cwd: root });

    const { definitions, tokens, tokensBy } = JSON.parse(printed) as Printed;
    expect({ tokens, tokensBy }).toEqual({
      tokens: encode(JSON.stringify(definitions)).length,
      tokensBy: 'gpt-tokenizer',
    });
  });

  test('has only the tools of the clients that are configured, and says what others need', async () => {
    const { printed } = await runCli(['tools', 'print', '--target', 'anthropic', '--json'], {
      env: {
        BILLING_BASE_URL: 'https://billing.example',
        BILLING_API_KEY: 'key-of-billing',
        BILLING_PAYMENTS_BELOW: '50',
      },
    });

    const { definitions } = JSON.parse(printed) as { readonly definitions: readonly { readonly name: string }[] };
    expect(definitions.map(({ name }) => name)).toEqual(['lookup_customer_invoices']);
    const { leftOut } = JSON.parse(printed) as Printed;
    expect(leftOut).toContainEqual({
      name: 'create_payment',
      needs: 'createIntegration payments: { card, below }',
    });
    expect(printed).not.toContain('key-of-billing');
  });

  test('shows a platform where the application is', async () => {
    const { printed } = await runCli(['tools', 'print', '--target', 'retell', '--url', 'https://a.example/retell']);

    expect(printed).toContain('"url": "https://a.example/retell"');
  });
});
