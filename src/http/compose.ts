import type { Middleware, Transport } from './request.ts';

/** Nests the middleware, outermost first, around the transport. */
export const compose = (middleware: readonly Middleware[], transport: Transport): Transport =>
  middleware.reduceRight<Transport>((next, layer) => (request) => layer(request, next), transport);
