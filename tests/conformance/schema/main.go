// Command schema makes the data files of crates/kube from the released Go types of Kubernetes.
//
//	go run . schema  > schema.tsv       the wire schema of every registered kind (see schema.go)
//	go run . corpus  > corpus.bin       every field of every kind, filled and encoded by the original (see corpus.go)
//
// Both outputs are deterministic for one set of module versions (go.mod). `make.sh` writes the compressed files
// in their places.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: schema schema|corpus")
		os.Exit(2)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	var err error
	switch os.Args[1] {
	case "schema":
		err = writeSchema(out)
	case "corpus":
		err = writeCorpus(out)
	default:
		err = fmt.Errorf("unknown command %q", os.Args[1])
	}
	if err != nil {
		out.Flush()
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
