#!/usr/bin/env escript
%% HTTPS servers of Erlang's ssl, which RabbitMQ has: for each argument VERSION:CERTIFICATE:KEY one port, printed in that order.

main(Arguments) ->
    {ok, _} = application:ensure_all_started(ssl),
    lists:foreach(fun serve/1, Arguments),
    receive never -> ok end.

serve(Argument) ->
    [Version, Certificate, Key] = string:split(Argument, ":", all),
    {ok, Listening} = ssl:listen(0, [
        binary,
        {ip, {127, 0, 0, 1}},
        {reuseaddr, true},
        {packet, http_bin},
        {active, false},
        {log_level, none},
        {versions, [list_to_atom(string:lowercase(Version))]},
        {certfile, Certificate},
        {keyfile, Key}
    ]),
    {ok, {_, Port}} = ssl:sockname(Listening),
    io:format("~b~n", [Port]),
    spawn_link(fun() -> accept(Listening) end).

accept(Listening) ->
    {ok, Socket} = ssl:transport_accept(Listening),
    Handler = spawn(fun() -> receive go -> answer(Socket) end end),
    ok = ssl:controlling_process(Socket, Handler),
    Handler ! go,
    accept(Listening).

answer(Socket) ->
    case ssl:handshake(Socket, 60000) of
        {ok, Secure} -> read(Secure);
        {error, _} -> ok
    end.

read(Secure) ->
    case ssl:recv(Secure, 0, 60000) of
        {ok, http_eoh} ->
            ssl:send(Secure, <<"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok">>),
            ssl:close(Secure);
        {ok, _} -> read(Secure);
        {error, _} -> ssl:close(Secure)
    end.
