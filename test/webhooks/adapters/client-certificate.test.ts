import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { webhook } from '../../../src/webhooks/adapters/node.ts';
import { mutualTls } from '../../../src/webhooks/authentication/mutual-tls.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { delivery, makeReceiver, payment } from '../receiver-parts.ts';

it('a certificate that the server has verified lets a delivery in, another or none does not', async () => {
  await using folder = await makeScratchFolder();
  const [server, billing, stranger] = [
    certificateOf(folder.path, '127.0.0.1'),
    certificateOf(folder.path, 'billing'),
    certificateOf(folder.path, 'stranger'),
  ] as const;
  const { receive, handled, contexts } = makeReceiver({
    authentication: [mutualTls({ allow: { fingerprints: [new X509Certificate(billing.cert).fingerprint256] } })],
  });
  const listener = createServer(
    { ...server, ca: [billing.cert], requestCert: true, rejectUnauthorized: false },
    webhook(receive),
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;

  const statuses = [];
  for (const shown of [billing, stranger, undefined]) statuses.push(await post(port, { ca: server.cert, ...shown }));
  listener.closeAllConnections();
  await new Promise((resolve) => listener.close(resolve));

  expect(statuses).toEqual([204, 401, 401]);
  expect([handled.length, contexts[0]?.sender]).toEqual([1, 'billing']);
});

/** Signed by itself, as an authority of one would. */
const certificateOf = (folder: string, name: string) => {
  const files = ['-keyout', `${folder}/${name}.key`, '-out', `${folder}/${name}.pem`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${name === '127.0.0.1' ? 'IP' : 'DNS'}:${name}`];
  execFileSync('openssl', ['req', '-x509', ...kind, ...files, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(`${folder}/${name}.key`, 'utf8'), cert: readFileSync(`${folder}/${name}.pem`, 'utf8') };
};

const post = (port: number, tls: { readonly ca: string; readonly key?: string; readonly cert?: string }) =>
  new Promise<number | undefined>((resolve, reject) => {
    const body = JSON.stringify(payment());
    const headers = Object.fromEntries(delivery(body).headers);
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false, ...tls }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body);
  });
