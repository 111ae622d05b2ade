/** fetch for calls of a model: an answer has an end, and a key is not carried to where an endpoint redirects. */
const ANSWER_BYTES_MAX = 4 * 2 ** 20;

export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX)
          controller.error(new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}
