import type { Toolbox } from '../../src/tools/index.ts';
import { describe, expect, test } from 'vitest';
import { createPaymentTools, secret } from '../support/payment-tools.ts';

/** One function call that the scripted model makes. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** A text for arguments that are not JSON. */
  readonly args: object | string;
}

/** A provider's own package with a scripted model behind it. */
export interface Target {
  readonly name: string;
  /** Registers the toolbox, has the model make these calls turn by turn, and ends when the model has its last results. */
  readonly drive: (toolbox: Toolbox, turns: readonly (readonly ModelCall[])[]) => Promise<Driven>;
  /** The provider has a flag for results that are errors. */
  readonly flagsErrors: boolean;
  /** Arguments are text on the wire, so that they can be broken. */
  readonly sendsText: boolean;
  /** The package itself refuses an id that it has seen. */
  readonly refusesRepeatedIds?: boolean;
  /** The package itself refuses a payment while another one runs. */
  readonly refusesAtOnce?: boolean;
}

/** What the scripted model saw. */
export interface Driven {
  /** Every byte that it was sent. */
  readonly sent: string;
  /** What it got for its calls, in that order. */
  readonly results: readonly ModelResult[];
}

export interface ModelResult {
  readonly id: string;
  /** One line of JSON. */
  readonly text: string;
  readonly isError?: boolean;
}

const payment = { invoice_id: 'inv_1', amount: 49.9 };
const paid = '{"success":true,"confirmation_number":"C-1"}';
const repeated =
  '{"success":true,"confirmation_number":"C-1","already_paid":true,"message":"Nothing was charged now: this payment was made before. Tell the caller so."}';

/** What must hold for every target, whatever its package does around the tools. */
export const describeTarget = ({ name, drive, flagsErrors, sendsText, refusesRepeatedIds, refusesAtOnce }: Target) => {
  const result = (id: string, text: string, isError = false): ModelResult =>
    flagsErrors ? { id, text, isError } : { id, text };

  describe(name, () => {
    test('the model gets each tool with a schema that it takes', async () => {
      const { sent } = await drive(createPaymentTools().toolbox, []);

      for (const word of ['find_invoice', 'pay_invoice', 'add_note', 'Of the customer', 'Greater than 0, below 5000']) {
        expect(sent).toContain(word);
      }
      expect(sent).not.toContain('$schema');
    });

    test('a valid call is made and answered under its id', async () => {
      const { toolbox, charges } = createPaymentTools();

      const { results } = await drive(toolbox, [[{ id: 'call_1', name: 'pay_invoice', args: payment }]]);

      expect(results).toEqual([result('call_1', paid)]);
      expect(charges).toEqual([payment]);
    });

    test('an invalid call is refused in words that let the model repair it', async () => {
      const { toolbox, charges } = createPaymentTools();

      const { results } = await drive(toolbox, [
        [{ id: 'call_1', name: 'pay_invoice', args: { ...payment, amount: -5 } }],
        [{ id: 'call_2', name: 'pay_invoice', args: payment }],
      ]);

      const refusal =
        '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be greater than 0"}]}';
      expect(results).toEqual([result('call_1', refusal, true), result('call_2', paid)]);
      expect(charges).toEqual([payment]);
    });

    if (sendsText) {
      test('arguments that are not JSON are refused, and the conversation goes on', async () => {
        const { toolbox, charges } = createPaymentTools();

        const { results } = await drive(toolbox, [[{ id: 'call_1', name: 'pay_invoice', args: '{"amount": 4' }]]);

        const refusal =
          '{"success":false,"error":"invalid_arguments","fields":[{"field":"arguments","problem":"must be one JSON object"}]}';
        expect(results).toEqual([result('call_1', refusal, true)]);
        expect(charges).toEqual([]);
      });
    }

    test('what a tool throws never reaches the model', async () => {
      const { toolbox } = createPaymentTools();

      const { results, sent } = await drive(toolbox, [[{ id: 'call_1', name: 'add_note', args: { body: 'Rang.' } }]]);

      expect(results).toEqual([result('call_1', '{"error":"internal_error"}', true)]);
      expect(sent).not.toContain(secret);
      expect(sent).not.toContain('hunter2');
    });

    test('calls of one turn are answered each under its own id', async () => {
      const { toolbox, charges } = createPaymentTools();

      const { results } = await drive(toolbox, [
        [
          { id: 'call_1', name: 'find_invoice', args: {} },
          { id: 'call_2', name: 'pay_invoice', args: payment },
          { id: 'call_3', name: 'add_note', args: { body: 'Paid.' } },
        ],
      ]);

      expect(results).toEqual([
        result('call_1', '{"invoice_id":"inv_1","amount":49.9}'),
        result('call_2', paid),
        result('call_3', '{"error":"internal_error"}', true),
      ]);
      expect(charges).toEqual([payment]);
    });

    test('a payment that the model repeats, under its id or a new one, happens once', async () => {
      const { toolbox, charges } = createPaymentTools();
      const again = refusesRepeatedIds ? 'call_4' : 'call_1';

      const twoMore: ModelCall[] = [
        { id: 'call_2', name: 'pay_invoice', args: { amount: 49.9, invoice_id: 'inv_1' } },
        { id: 'call_3', name: 'pay_invoice', args: payment },
      ];

      const { results } = await drive(toolbox, [
        [{ id: 'call_1', name: 'pay_invoice', args: payment }],
        [{ id: again, name: 'pay_invoice', args: payment }],
        ...(refusesAtOnce ? twoMore.map((call) => [call]) : [twoMore]),
      ]);

      // A repetition that arrives while the first is under way shares its answer.
      const shared = results[1]?.text === paid ? paid : repeated;
      expect(results).toEqual([
        result('call_1', paid),
        result(again, shared),
        result('call_2', repeated),
        result('call_3', repeated),
      ]);
      expect(charges).toEqual([payment]);
    });
  });
};

/** Arguments as a provider that sends text writes them. */
export const asText = ({ args }: ModelCall): string => (typeof args === 'string' ? args : JSON.stringify(args));
