import { expect, test } from 'vitest';
import { ultravox } from '../../../src/tools/providers/ultravox.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';

test('a tool is a client tool whose parameters stand one by one', () => {
  const [first, second] = ultravox.tools(createPlatformTools().toolbox);

  expect(first).toEqual({
    temporaryTool: {
      modelToolName: 'who_is_calling',
      description: 'Says who is calling.',
      dynamicParameters: [],
      timeout: '20s',
      precomputable: true,
      client: {},
    },
  });
  expect(second).toEqual({
    temporaryTool: {
      modelToolName: 'pay',
      description: 'Pays an invoice.',
      dynamicParameters: [
        {
          name: 'amount',
          location: 'PARAMETER_LOCATION_BODY',
          schema: {
            type: 'number',
            description: 'In dollars. Greater than 0, below 5000.',
            exclusiveMinimum: 0,
            exclusiveMaximum: 5000,
          },
          required: true,
        },
        {
          name: 'method',
          location: 'PARAMETER_LOCATION_BODY',
          schema: { type: 'string', enum: ['card', 'bank'] },
          required: false,
        },
      ],
      timeout: '20s',
      precomputable: false,
      client: {},
    },
  });
});

test('an invocation is answered under its id, and a failure says what is wrong', async () => {
  const { toolbox, charges } = createPlatformTools();
  const bound = toolbox.bind({ callId: 'CA1' });
  const pay = (invocationId: string, amount: number) =>
    ultravox.run(bound, { toolName: 'pay', invocationId, parameters: { amount } });

  const answers = [await pay('inv_1', 20), await pay('inv_1', 20), await pay('inv_2', -20)];

  const result = '{"success":true,"confirmation_number":"C-1"}';
  expect(answers).toEqual([
    { type: 'client_tool_result', invocationId: 'inv_1', result },
    {
      type: 'client_tool_result',
      invocationId: 'inv_1',
      result: expect.stringContaining('"confirmation_number":"C-1","already_paid":true'),
    },
    {
      type: 'client_tool_result',
      invocationId: 'inv_2',
      errorType: 'implementation-error',
      errorMessage:
        '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be greater than 0"}]}',
    },
  ]);
  expect(charges).toEqual([20]);
});
