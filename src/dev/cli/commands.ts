import type { Command } from './command.ts';
import { consoleCommand } from './console/console.ts';
import { create } from './create/create.ts';
import { deadLettersDiscard, deadLettersList, deadLettersRedrive, deadLettersShow } from './dead-letters/commands.ts';
import { demo } from './demo/demo.ts';
import { doctor } from './doctor/doctor.ts';
import { initApi } from './init/init-api.ts';
import { sandbox } from './sandbox/sandbox.ts';
import { toolsPrint } from './tools/print.ts';
import { toolsServe } from './tools/serve.ts';
import { webhooksSend } from './webhooks/send.ts';
import { webhooksSign } from './webhooks/sign-body.ts';
import { webhooksVerify } from './webhooks/verify.ts';

/** Everything that can be typed, in the order of the help. */
export const commands: readonly Command[] = [
  doctor,
  sandbox,
  demo,
  consoleCommand,
  create,
  initApi,
  toolsPrint,
  toolsServe,
  webhooksSign,
  webhooksVerify,
  webhooksSend,
  deadLettersList,
  deadLettersShow,
  deadLettersRedrive,
  deadLettersDiscard,
];
