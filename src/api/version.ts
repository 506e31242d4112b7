import { InvalidArgumentError } from '../core/errors.ts';
import type { HttpClientOptions } from '../http/client-options.ts';
import * as z from '../core/schema.ts';

/** The place of an API's pinned version: in front of every path, in a header, or in `baseUrl` itself. */
export type ApiVersion =
  | { readonly path: string }
  | { readonly header: { readonly name: string; readonly value: string } }
  | 'in-base-url';

/**
 * Returns where a version goes on the wire. Throws `InvalidArgumentError` for anything but an {@link ApiVersion}: the
 * version is always pinned.
 */
export const placeVersion = (
  version: ApiVersion = 'in-base-url',
): Pick<HttpClientOptions, 'version' | 'versionHeader' | 'pathPrefix'> => {
  if (!versionSchema().safeParse(version).success)
    throw new InvalidArgumentError(
      'version',
      "must be { path: 'v1' }, { header: { name, value } } or 'in-base-url': the version is always pinned",
    );
  if (version === 'in-base-url') return { version };
  if ('path' in version) return { version: version.path, pathPrefix: `${version.path}/` };
  return { version: version.header.value, versionHeader: version.header.name };
};

const versionSchema = z.lazily<ApiVersion>(() =>
  z.union([
    z.literal('in-base-url'),
    z.object({ path: z.string().check(z.regex(/^(?:[\w.-]*\w[\w.-]*\/)*[\w.-]*\w[\w.-]*$/)) }),
    z.object({
      header: z.object({ name: z.string().check(z.regex(/^[\w-]+$/)), value: z.string().check(z.minLength(1)) }),
    }),
  ]),
);
