/**
 * OTLP as the conventional decoder reads it: the reference that the hand-written reader is compared with. Field numbers
 * are those of opentelemetry-proto; fields that only profiles use are left out, as in the reader.
 */
import protobuf from 'protobufjs';

export const OTLP_PROTO = `
syntax = "proto3";
package otlp;

message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
message TracesData { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message LogsData { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }

message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }

message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
  string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; uint32 dropped_attributes_count = 10;
  repeated Event events = 11; uint32 dropped_events_count = 12;
  repeated Link links = 13; uint32 dropped_links_count = 14; Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; uint32 dropped_attributes_count = 5; fixed32 flags = 6; }
message Status { string message = 2; int32 code = 3; }

message LogRecord {
  fixed64 time_unix_nano = 1; fixed64 observed_time_unix_nano = 11; int32 severity_number = 2; string severity_text = 3;
  AnyValue body = 5; repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8;
  bytes trace_id = 9; bytes span_id = 10; string event_name = 12;
}

message TraceResponse { TracePartialSuccess partial_success = 1; }
message TracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message Status_ { int32 code = 1; string message = 2; repeated Any details = 3; }
message Any { string type_url = 1; bytes value = 2; }
message RetryInfo { Duration retry_delay = 1; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
`;

const root = protobuf.parse(OTLP_PROTO, { keepCase: false }).root;

/** The reference refuses nesting that Assay refuses too, but only deeper: the limits are compared separately. */
protobuf.Reader.recursionLimit = 1000;

export const otlp = {
  TracesData: root.lookupType('otlp.TracesData'),
  LogsData: root.lookupType('otlp.LogsData'),
  Span: root.lookupType('otlp.Span'),
  LogRecord: root.lookupType('otlp.LogRecord'),
  Resource: root.lookupType('otlp.Resource'),
  Scope: root.lookupType('otlp.Scope'),
  TraceResponse: root.lookupType('otlp.TraceResponse'),
  Status: root.lookupType('otlp.Status_'),
  RetryInfo: root.lookupType('otlp.RetryInfo'),
};
