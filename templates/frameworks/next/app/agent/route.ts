import { isAuthorized } from '../../src/authorized.ts';
import { handleAgentRequest } from '../../src/phone-calls.ts';

export const POST = async (request: Request): Promise<Response> => {
  if (!isAuthorized(request.headers.get('authorization'))) return new Response(null, { status: 401 });
  const given: unknown = await request.json().catch(() => undefined); // what isn't JSON is answered with 400
  const { status, body } = await handleAgentRequest(given);
  return Response.json(body, { status });
};
