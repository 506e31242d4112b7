import { sendableHeaders } from '../http/headers.ts';
import type { HttpRequest } from '../http/request.ts';
import { acceptedEncodings } from './decompress.ts';

/** The headers of a request as they go to the network, with those that the transport has to set. */
export const requestHeaders = ({ headers, method, body }: HttpRequest, host: string): Record<string, string> => {
  const sendable = sendableHeaders(headers);
  const namesEncoding = Object.keys(sendable).some(isAcceptEncoding);
  return {
    host,
    ...sendable,
    ...(namesEncoding ? {} : { 'accept-encoding': acceptedEncodings }),
    ...(body === undefined && method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }),
  };
};

const isAcceptEncoding = (name: string): boolean => name.length === 15 && name.toLowerCase() === 'accept-encoding';
