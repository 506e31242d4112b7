import { isAuthorized } from '../../src/authorized.ts';
import { handleAgentRequest } from '../../src/phone-calls.ts';
import { readJson } from '../../src/read-json.ts';

export const POST = async (request: Request): Promise<Response> => {
  if (!isAuthorized(request.headers.get('authorization'))) return new Response(null, { status: 401 });
  const given = await readJson(request);
  if (given.isTooLarge) return new Response(null, { status: 413 });
  const { status, body } = await handleAgentRequest(given.json); // what isn't JSON is answered with 400
  return Response.json(body, { status });
};
