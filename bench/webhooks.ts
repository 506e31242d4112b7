import { signedWebhook } from 'voice-agent-integrations/testing';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { type SignatureScheme, standardWebhooks, verifySignature, xSignature } from 'voice-agent-integrations/webhooks';
import type { Subject } from './measure.ts';
import { loadPeers, peerNames, type Peers } from './peers.ts';
import { heading, spread, table } from './report.ts';
import { type Extent, type Figure, figuresOf } from './run.ts';

/**
 * What it costs to verify a signature, with ours and with other packages for the same scheme, in one run per size.
 * All are given the body as text, since the peers take nothing else; ours is measured again with bytes, as a body
 * arrives.
 */
export const webhooks = async (extent: Extent, command: string): Promise<string> => {
  const peers = await loadPeers();
  const alone = 'unavailable' in peers;
  const rows: (readonly (string | number)[])[] = [];
  for (const sizeKb of [1, 16, 256]) {
    for (const subjects of alone ? [own(sizeKb, spec), own(sizeKb, standard)] : groups(sizeKb, peers)) {
      const figures = await figuresOf(subjects, { ...extent, concurrencies: [1] });
      rows.push(...figures.map((figure) => rowOf(figure, sizeKb, alone)));
    }
  }
  return [
    heading(command),
    ...(alone ? [`Not compared with ${peerNames.join(' and ')}, which are not available: ${peers.unavailable}`] : []),
    '',
    '### Verifying a signature',
    '',
    table(['', 'body, KB', 'CPU per call, µs', 'CPU to the HMAC alone', 'CPU to the peer'], rows),
    '',
  ].join('\n');
};

const rowOf = ({ subject, cpuUs, toFirst, toSecond }: Figure, sizeKb: number, alone: boolean) => [
  subject,
  sizeKb,
  spread(cpuUs, 1),
  spread(toFirst, 2),
  alone ? '–' : spread(toSecond, 2),
];

/** The floor, the peer, and then ours. */
const groups = (sizeKb: number, { octokitVerify, StandardWebhook }: Peers): readonly (readonly Subject[])[] => {
  const body = bodyOf(sizeKb);
  const signature = spec.headersOf(body)['x-signature'] ?? '';
  const octokit: Subject = {
    name: peerNames[0],
    call: async () => assertValid(await octokitVerify(spec.secret, body, signature)),
  };
  const webhook = new StandardWebhook(standard.secret);
  const headers = standard.headersOf(body);
  // Throws when it refuses.
  const standardwebhooks: Subject = {
    name: peerNames[1],
    call: async () => webhook.verify(body, headers, { jsonParse: false }),
  };
  const [floor, ...ours] = own(sizeKb, spec);
  const [standardFloor, ...oursStandard] = own(sizeKb, standard);
  return [
    floor && [floor, octokit, ...ours],
    standardFloor && [standardFloor, standardwebhooks, ...oursStandard],
  ].filter((group) => group !== undefined);
};

const own = (sizeKb: number, { name, scheme, secret, headersOf }: Case): readonly Subject[] => {
  const body = bodyOf(sizeKb);
  const bytes = Buffer.from(body);
  const headers = headersOf(body);
  const secrets = () => secret;
  return [
    hmacAlone(bytes),
    {
      name: `verifySignature, ${name}, text`,
      call: async () => assertValid((await verifySignature(body, { scheme, headers, secrets })).valid),
    },
    {
      name: `verifySignature, ${name}, bytes`,
      call: async () => assertValid((await verifySignature(bytes, { scheme, headers, secrets })).valid),
    },
  ];
};

/** The minimum of any verification: one HMAC with a key made once, and one comparison. */
const hmacAlone = (bytes: Uint8Array): Subject => {
  const key = createSecretKey(Buffer.from(spec.secret));
  const wanted = createHmac('sha256', key).update(bytes).digest();
  return {
    name: 'HMAC and comparison alone',
    call: async () => assertValid(timingSafeEqual(createHmac('sha256', key).update(bytes).digest(), wanted)),
  };
};

interface Case {
  readonly name: string;
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly headersOf: (body: string) => Readonly<Record<string, string>>;
}

const spec: Case = {
  name: 'X-Signature',
  scheme: xSignature,
  secret: 'test-secret-of-thirty-two-bytes-',
  headersOf: (body) => signedWebhook({ body, scheme: xSignature, secret: spec.secret }).headers,
};

const standard: Case = {
  name: 'Standard Webhooks',
  scheme: standardWebhooks,
  secret: `whsec_${Buffer.from(spec.secret).toString('base64')}`,
  headersOf: (body) => signedWebhook({ body, scheme: standardWebhooks, secret: standard.secret, id: 'msg_1' }).headers,
};

const bodyOf = (sizeKb: number): string => {
  const text = (filler: string) => JSON.stringify({ event: 'call.completed', data: { transcript: filler } });
  return text('x'.repeat(sizeKb * 1024 - text('').length));
};

const assertValid = (isValid: boolean): void => {
  if (!isValid) throw new Error('a genuine signature was refused');
};
