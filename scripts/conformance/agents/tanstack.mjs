/** TanStack AI with its own OpenTelemetry middleware. */
