import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The paths of HubSpot's client and the dated ones that replace them, of
 * HubSpot/HubSpot-public-api-spec-collection as of 2026-08-21: `@hubspot/api-client` 14.0.1 has no dated paths.
 */
const datedPaths: readonly (readonly [RegExp, string])[] = [
  [/^\/crm\/v3\/objects\//, '/crm/objects/2026-09/'],
  [/^\/crm\/v4\/objects\//, '/crm/objects/2026-09/'],
  [/^\/crm\/v3\/owners\/?(?=[?]|$)/, '/crm/owners/2026-09'],
  [/^\/crm\/v3\/owners\//, '/crm/owners/2026-09/'],
  [/^\/crm\/v3\/pipelines\//, '/crm/pipelines/2026-09/'],
];

/** The dated path of one of the client's. Throws for one that the table doesn't have. */
export const toDatedPath = (path: string): string => {
  const row = datedPaths.find(([old]) => old.test(path));
  if (!row) throw new Error(`no dated path is known of ${path}`);
  return path.replace(...row);
};

const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parts.length > 0 ? Buffer.concat(parts) : undefined;
};

/** A server that passes everything on to another under its dated path. */
export const startDatedPaths = async (target: string) => {
  const server = createServer((request, response) => {
    void (async () => {
      const { authorization, 'content-type': type } = request.headers;
      const answer = await fetch(`${target}${toDatedPath(request.url ?? '')}`, {
        method: request.method ?? 'GET',
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        body: (await bodyOf(request)) ?? null,
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(await answer.text());
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};
