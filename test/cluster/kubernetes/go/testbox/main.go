// Command testbox replaces a shell and its tools on the tests' node and in their images: one static file.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: testbox VERB
  pause                    reaps what it inherits until SIGTERM (also what it does under the name pause)
  init                     the same as PID 1 of the node; prints "up" once it runs
  forward SOCKET HOST:PORT serves a Unix socket and forwards each connection over TCP
  serve HOST:PORT          answers every GET with 200
  get URL                  prints a response's body; exits with 1 unless its status is below 400
  dial HOST:PORT...        connects to each over TCP and prints it with "open" or the error
  cat FILE                 prints a file
  write FILE TEXT...       writes a line
  exists FILE              exits with 1 if there is no such file
  sleep SECONDS
  exit CODE
`

func main() {
	arguments := os.Args[1:]
	if filepath.Base(os.Args[0]) == "pause" {
		arguments = []string{"pause"}
	}
	if err := run(arguments); err != nil {
		fmt.Fprintln(os.Stderr, "testbox:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	verb, operand := "", func(n int) string {
		if n < len(arguments) {
			return arguments[n]
		}
		fmt.Fprint(os.Stderr, usage)
		os.Exit(64)
		return ""
	}
	verb = operand(0)
	switch verb {
	case "pause":
		reap()
	case "init":
		fmt.Println("up")
		reap()
	case "forward":
		return forward(operand(1), operand(2))
	case "serve":
		return http.ListenAndServe(operand(1), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(w, "served", r.URL.Path)
		}))
	case "get":
		return get(operand(1))
	case "dial":
		for _, address := range arguments[1:] {
			fmt.Println(address, dial(address))
		}
	case "cat":
		file, err := os.Open(operand(1))
		if err != nil {
			return err
		}
		_, err = io.Copy(os.Stdout, file)
		return err
	case "write":
		return os.WriteFile(operand(1), []byte(strings.Join(arguments[2:], " ")+"\n"), 0o644)
	case "exists":
		_, err := os.Stat(operand(1))
		return err
	case "sleep":
		seconds, err := strconv.ParseFloat(operand(1), 64)
		time.Sleep(time.Duration(seconds * float64(time.Second)))
		return err
	case "exit":
		code, err := strconv.Atoi(operand(1))
		if err == nil {
			os.Exit(code)
		}
		return err
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(64)
	}
	return nil
}

// reap waits for all inherited children, until SIGTERM. When PID 1 exits, all of them are killed.
func reap() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		// Signals in quick succession are delivered once.
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}

// get limits only the time to connect, because later rules of a Service do not apply to a connection that has begun.
func get(url string) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSHandshakeTimeout = 0
	client := http.Client{Transport: transport}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err = io.Copy(os.Stdout, response.Body); err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return nil
}

// dial has no timeout other than the kernel's.
func dial(address string) string {
	connection, err := net.Dial("tcp", address)
	var reason syscall.Errno
	switch {
	case err == nil:
		connection.Close()
		return "open"
	case errors.As(err, &reason):
		return reason.Error()
	default:
		return err.Error()
	}
}
