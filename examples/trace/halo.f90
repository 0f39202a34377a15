! SPDX-License-Identifier: Apache-2.0
! Heat on a rod that is spread over ranks, without a word about tracing: halo.pointcuts says what is woven.
module rod
  use mpi
  implicit none
  double precision, allocatable :: u(:), next(:)
contains
  subroutine load(cells)
    integer, intent(in) :: cells
    integer :: i

    allocate (u(0:cells + 1), next(0:cells + 1))
    u = [(sin(i*1d-3), i=0, cells + 1)]
    next = u
  end subroutine

  ! With the ranks on both sides.
  subroutine exchange(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: left, right, n, error

    n = size(u) - 2
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    call MPI_Sendrecv(u(n), 1, MPI_DOUBLE_PRECISION, right, 0, u(0), 1, MPI_DOUBLE_PRECISION, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(u(1), 1, MPI_DOUBLE_PRECISION, left, 1, u(n + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end subroutine

  pure double precision function cell(i)
    integer, intent(in) :: i

    cell = u(i) + 0.25d0*(u(i - 1) - 2*u(i) + u(i + 1))
  end function

  subroutine step()
    integer :: i

    do i = 1, size(u) - 2
      next(i) = cell(i)
    end do
    u = next
  end subroutine
end module

program halo
  use rod
  implicit none
  integer :: rank, ranks, n, error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call load(50000)
  do n = 1, 20
    call exchange(rank, ranks)
    call step()
  end do
  call MPI_Finalize(error)
end program
