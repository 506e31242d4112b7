import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCommand } from './support/run-command.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const examples = globSync('examples/{*,platforms/*,tools/*,webhooks/*}.ts', { cwd: root }).toSorted();

test.each(examples)('%s runs to its end without an account', async (example) => {
  const printed = await runCommand(process.execPath, [example], { cwd: root });

  expect(printed).not.toBe('');
});

test('the example of a dialect charges once, though the answer to the payment is lost', async () => {
  const printed = await runCommand(process.execPath, ['examples/own-dialect.ts'], { cwd: root });

  expect(printed).toContain('"customer_name":"Ada","invoice_count":1,"total_outstanding":49.9,"currency":"EUR"');
  expect(printed.split('\n').slice(-4, -1)).toEqual([
    '{"success":false,"error":"The card was declined."}',
    '{"success":true,"confirmation_number":"L-1"}',
    'Charged: 1',
  ]);
});

test('the example in Spanish asks and writes in Spanish', async () => {
  const printed = await runCommand(process.execPath, ['examples/tools/spanish.ts'], { cwd: root });

  const day = String.raw`[a-zé]+, \d+ de [a-z]+ de \d{4}, \d+:\d\d`;
  expect(printed.trim().split('\n')).toEqual([
    'Agente: ¿Cobro 120,5 euros en la tarjeta guardada?',
    'create_payment: done',
    'SMS a +34915550100: Le visitamos el 8 de marzo de 2027.',
    expect.stringMatching(new RegExp(`^Agente: ¿Cambio su cita del ${day} al ${day}\\?$`)),
    'reschedule_appointment: done',
    expect.stringMatching(new RegExp(`^Agente: ¿Cancelo su cita del ${day}\\?$`)),
    'cancel_appointment: done',
    'check_verification_code: {"verified":true}',
  ]);
});

test('the example of many processes says so and ends where no Redis is installed', async () => {
  const env = { PATH: '', REDIS_URL: '' };

  expect(await runCommand(process.execPath, ['examples/scale.ts'], { cwd: root, env })).toContain(
    'Skipped: redis-server',
  );
});
