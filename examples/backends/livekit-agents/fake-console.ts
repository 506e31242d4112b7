import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { env as ownEnv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { initializeLogger, voice } from '@livekit/agents';
import { startFakeChatModel } from '../support/fake-chat-model.ts';
import type { Line, Offline } from '../support/offline.ts';

initializeLogger({ pretty: false, level: 'silent' });

const fromSource = new URL('../../../scripts/from-source.js', import.meta.url).href;
const server = fileURLToPath(new URL('./server.ts', import.meta.url));

/**
 * The agent in the console of LiveKit's command line, over its own protocol: a process for each phone call, as a worker
 * has one for each job. LiveKit's inference gateway is the scripted model.
 */
export const startOffline = async (env: Readonly<Record<string, string>>): Promise<Offline> => {
  const model = await startFakeChatModel();
  const jobs: ChildProcess[] = [];
  let printed = '';

  /** Ends a job as a worker does, and waits until it has written down what it knows. */
  const end = async (job: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (job.exitCode !== null || job.signalCode !== null) return job.exitCode;
    const ended = once(job, 'close');
    job.kill(signal);
    await ended;
    return job.exitCode;
  };

  return {
    ring: async ({ callId, phone }) => {
      const broker = await startBroker();
      const job = spawn(
        process.execPath,
        ['--import', fromSource, server, 'console', '--connect-addr', `127.0.0.1:${broker.port}`],
        {
          env: {
            PATH: ownEnv['PATH'],
            ...env,
            LIVEKIT_INFERENCE_URL: model.baseUrl,
            LIVEKIT_API_KEY: 'test',
            LIVEKIT_API_SECRET: 'secret-of-this-example',
            LOG_LEVEL: 'error',
            TEXT_ONLY: '1',
            CONSOLE_CALL_ID: callId,
            CONSOLE_CALLER: phone,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      jobs.push(job);
      for (const output of [job.stdout, job.stderr])
        output.setEncoding('utf8').on('data', (text: string) => (printed += text));
      const failed = once(job, 'close').then<never>(() => {
        throw new Error(`The job ended:\n${printed}`);
      });
      failed.catch(() => undefined);
      const socket = await Promise.race([broker.connected, failed]);
      const session = new voice.RemoteSession(new voice.TcpSessionTransport('127.0.0.1', broker.port));
      const line = talk(session, {
        hangUp: async () => {
          await end(job);
          await session.close();
          broker.close();
        },
        drop: () => {
          // LiveKit ends the job of a room that is gone.
          socket.destroy();
          broker.close();
          void end(job);
        },
      });
      return Promise.race([line, failed]);
    },
    // No request comes from outside: the worker connects to LiveKit, with its key.
    forge: async () => [],
    stop: async () => {
      const codes = await Promise.all(jobs.map((job) => end(job)));
      return codes.find((code) => code !== 0) ?? 0;
    },
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(jobs.map((job) => end(job, 'SIGKILL')));
      await model[Symbol.asyncDispose]();
    },
  };
};

/** Joins the two who connect: the agent first, then the caller. */
const startBroker = async () => {
  const broker = createServer().listen(0, '127.0.0.1');
  await once(broker, 'listening');
  const connected = once(broker, 'connection').then(([agent]: Socket[]) => {
    if (!agent) throw new Error('a connection has a socket');
    agent.on('error', () => undefined);
    broker.once('connection', (caller) => {
      caller.on('error', () => undefined);
      caller.pipe(agent).pipe(caller);
    });
    return agent;
  });
  connected.catch(() => undefined);
  const { port } = broker.address() as AddressInfo;
  return { port, connected, close: () => void broker.close() };
};

const talk = async (session: voice.RemoteSession, ends: Pick<Line, 'hangUp' | 'drop'>): Promise<Line> => {
  const dialogue: string[] = [];
  let wake = () => {};
  session.on('conversation_item_added', ({ item }) => {
    if (item?.item.case !== 'message') return;
    const words = item.item.value.content.map(({ payload }) => (payload.case === 'text' ? payload.value : '')).join('');
    if (Number(item.item.value.role) === agentRole) dialogue.push(words);
    wake();
  });
  await session.start();
  const next = async (after: number): Promise<string> => {
    for (;;) {
      const words = dialogue[after];
      if (words !== undefined) return words;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  await next(0);
  return {
    dialogue: () => dialogue,
    say: async (words) => {
      const before = dialogue.length;
      await session.sendMessage(words);
      const first = await next(before);
      // What is said while a tool takes long comes before the answer.
      return dialogue.at(-1) ?? first;
    },
    ...ends,
  };
};

/** `ASSISTANT` in LiveKit's protocol. */
const agentRole = 3;
