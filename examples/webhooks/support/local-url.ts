import type { Server } from 'node:http';

/** Where a server on this machine that has begun to listen can be reached. */
export const localUrl = (server: Server): string => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen on a port');
  return `http://127.0.0.1:${address.port}/hook/billing`;
};
